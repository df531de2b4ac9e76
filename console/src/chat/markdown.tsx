/**
 * Markdown as React elements, never as HTML: marked parses the text into tokens, which are rendered here. Links lead only to the
 * web and to mail; a picture becomes its description, because fetching it would tell another server who reads the answer.
 */
import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode, memo, useState } from "react";
import { chatTexts } from "../texts/chat.ts";
import { createMarkdownBlocks } from "./growing-markdown.ts";
import { isTooDeep, plainText, safeLink } from "./safe-markdown.ts";

const picture = (alt: string) => `Picture: ${alt === "" ? "no description" : alt}`;

export default memo(function Markdown({ text }: { readonly text: string }) {
  const [blocks] = useState(createMarkdownBlocks);
  if (isTooDeep(text)) return <div className="markdown plain">{text}</div>;
  return (
    <div className="markdown">
      {blocks.of(text).map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
});

/** While an answer grows, closed blocks are not rendered again. */
const Block = memo(function Block({ token }: { readonly token: Token }) {
  return element(token);
});

function drawn(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, index) => <Fragment key={index}>{element(token)}</Fragment>);
}

function element(token: Token): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "paragraph":
      return <p>{drawn(token.tokens)}</p>;
    // The screen's own headings form the page's outline; an answer's headings are not part of it.
    case "heading":
      return <p className="markdown-heading">{drawn(token.tokens)}</p>;
    case "blockquote":
      return <blockquote>{drawn(token.tokens)}</blockquote>;
    case "strong":
      return <strong>{drawn(token.tokens)}</strong>;
    case "em":
      return <em>{drawn(token.tokens)}</em>;
    case "del":
      return <del>{drawn(token.tokens)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    // Wide tables and code scroll instead of widening the page, even by keyboard.
    case "code":
      return (
        <pre tabIndex={0} role="region" aria-label={chatTexts.code}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "list":
      return <List list={token as Tokens.List} />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "link":
      return <Link link={token as Tokens.Link} />;
    case "image":
      return <span className="muted">[{picture(plainText((token as Tokens.Image).text))}]</span>;
    case "text":
    case "escape":
      return "tokens" in token && token.tokens !== undefined
        ? drawn(token.tokens)
        : plainText((token as Tokens.Text).text);
    // HTML is shown as text.
    default:
      return token.raw;
  }
}

function List({ list: { ordered, start, items } }: { readonly list: Tokens.List }) {
  const rows = items.map((item, index) => (
    <li key={index} className={item.task ? "task" : undefined}>
      {item.task && (
        <input type="checkbox" disabled checked={item.checked === true} readOnly aria-label={plainText(item.text)} />
      )}
      {drawn(item.tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ));
  return ordered ? <ol start={start === "" ? undefined : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function Table({ table: { header, rows } }: { readonly table: Tokens.Table }) {
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, index) => (
              <th key={index} scope="col" className={align === "right" ? "number" : undefined}>
                {drawn(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens, align }, index) => (
                <td key={index} className={align === "right" ? "number" : undefined}>
                  {drawn(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ link: { href, tokens } }: { readonly link: Tokens.Link }) {
  const address = safeLink(href);
  if (address === undefined) return <span>{drawn(tokens)}</span>;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {drawn(tokens)}
    </a>
  );
}

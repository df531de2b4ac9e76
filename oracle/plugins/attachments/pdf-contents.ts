/**
 * Limits how much the PDF library reads without a pause because of references: each list of streams may be the contents of a page,
 * which the library joins before it reads them. Streams that make a list too large are emptied; a PDF that remains too large is
 * reported.
 */
import {
  CALLED_FORM_BYTES,
  FONT_BYTES,
  LISTED_KIDS,
  OBJECT_BYTES_SHARE,
  OBJECT_TEXT_BYTES,
  PDF_PART_BYTES,
} from "./limits.ts";
import type { ObjectPlace } from "./pdf-objects.ts";
import { referencesOf, UNKNOWN_OBJECT, type ReferenceList, type References } from "./pdf-references.ts";
import { HEADER_BYTES, omitPart, type PackedPart } from "./pdf-size.ts";
import type { SlicedWork } from "./work-slices.ts";

/** Added bytes for each reference to a stream, because the library also spends time on empty streams. */
const REFERENCE_BYTES = 1_000;
/** Objects read in one slice of work, about two milliseconds; a large object has separate slices. */
const SLICE_OBJECTS = 256;
const STREAM_END = new TextEncoder().encode("endstream");
const [SPACE, X] = [0x20, 0x78];
const DEFLATED: ReadonlySet<string> = new Set(["/FlateDecode", "/Fl", "[ /FlateDecode ]", "[ /Fl ]"]);
/** A call of a form or an image. */
const CALL = /(?:^|[\0\t\n\f\r ()<>[\]{}/%])Do/g;
/** Any character of a name may be written as `#` and two digits. */
const LENGTH_KEY = /\/(?:L|#4[cC])(?:e|#65)(?:n|#6[eE])(?:g|#67)(?:t|#74)(?:h|#68)(?![^\0\t\n\f\r ()<>[\]{}/%])/g;
const latin = new TextDecoder("latin1");

interface Stream {
  readonly number: number;
  readonly data: number;
  readonly end: number;
  readonly part: PackedPart | undefined;
  readonly keys: References["keys"];
  /** Whether the library lets other work run when it reads the stream: it unpacks it with a platform stream. */
  readonly pauses: boolean;
  size: number;
}

export class Contents {
  /** Number of emptied streams. */
  omitted = 0;
  /** Whether an object is too large that cannot be emptied. */
  isTooMuch = false;
  /** Bytes of all objects, without the data of streams. */
  objectBytes = 0;
  /** Streams of objects, by the place of their data. */
  readonly holders: ReadonlyMap<number, { readonly first: number; readonly count: number }>;
  readonly #pdf: Uint8Array;
  readonly #parts: ReadonlyMap<number, PackedPart>;
  readonly #holders = new Map<number, { readonly first: number; readonly count: number }>();
  readonly #streams = new Map<number, Stream[]>();
  /** The largest stream with each number. */
  readonly #sizes = new Map<number, number>();
  readonly #wholes = new Map<number, number>();
  #plainBytes = 0;
  #streamEnd = -1;
  #fontBytes = 0;
  #kids = 0;
  #indirectKids: number[] = [];
  #calls = 0;
  #repeats = 1;

  constructor(pdf: Uint8Array, parts: readonly PackedPart[]) {
    this.#pdf = pdf;
    this.#parts = new Map(parts.map((part) => [part.start - HEADER_BYTES, part]));
    this.holders = this.#holders;
  }

  *addFile(objects: readonly ObjectPlace[]): SlicedWork<undefined> {
    const found: References[] = [];
    for (const { number, start, end, data } of objects) {
      const references = yield* referencesOf(latin.decode(this.#pdf.subarray(start, end)));
      found.push(references);
      this.objectBytes += end - start;
      if (found.length % SLICE_OBJECTS === 0) yield;
      if (references.whole !== undefined) this.#addWhole(number, references.whole);
      if (data !== undefined) this.#addStream({ number, start, end, data }, references.keys);
    }
    if (this.objectBytes > OBJECT_TEXT_BYTES) this.isTooMuch = true;
    for (const [index, references] of found.entries()) {
      this.#addReferences(references);
      if (index % SLICE_OBJECTS === SLICE_OBJECTS - 1) yield;
    }
    for (const [data, { first, count }] of this.#holders) {
      if (!this.#parts.has(data))
        yield* this.addHolder(latin.decode(this.#pdf.subarray(data, this.#endOfStream(data))), first, count);
    }
    return undefined;
  }

  /** The text of a stream of objects: their numbers and ascending places, then, from `first` on, the objects. */
  *addHolder(text: string, first: number, count: number): SlicedWork<undefined> {
    const head = text.slice(0, first);
    const numbers = /^[\d\0\t\n\f\r ]*$/.test(head) ? (head.match(/\d+/g) ?? []).map(Number) : [];
    if (numbers.length < 2 * count) this.isTooMuch = true;
    for (let index = 0; index < count && !this.isTooMuch; index += 1) {
      const [number = 0, place = 0, , next = text.length] = numbers.slice(2 * index, 2 * index + 4);
      const end = index === count - 1 ? text.length : first + next;
      if (index % SLICE_OBJECTS === SLICE_OBJECTS - 1) yield;
      const references = yield* referencesOf(text.slice(first + place, end));
      // A list, dictionary or stream that extends into the next object would be counted twice.
      if (references.hasStream || end < first + place) this.isTooMuch = true;
      if (references.whole !== undefined) this.#addWhole(number, references.whole);
      this.#addReferences(references);
    }
    return undefined;
  }

  addCalls(text: string): void {
    this.#calls += text.match(CALL)?.length ?? 0;
  }

  /** Runs last: it needs all lists and all calls. */
  *finish(): SlicedWork<undefined> {
    for (const object of this.#indirectKids)
      this.#kids += Math.max(1, (this.#wholes.get(object) ?? 0) + (this.#wholes.get(UNKNOWN_OBJECT) ?? 0));
    if (this.#kids > LISTED_KIDS || this.#fontBytes > FONT_BYTES) this.isTooMuch = true;
    const forms = [...this.#streams.values()].flat().filter((stream) => !stream.pauses && mayBeForm(stream.keys));
    let bytes = 0;
    for (const form of forms) {
      const text = latin.decode(this.#pdf.subarray(form.data, form.end));
      if (form.part !== undefined || text.search(CALL) >= 0) this.#omit(form);
      bytes += form.size;
      yield;
    }
    if (bytes * this.#calls * this.#repeats > CALLED_FORM_BYTES) for (const form of forms) this.#omit(form);
    return undefined;
  }

  #addWhole(number: number, { count, isPlain }: ReferenceList): void {
    this.#wholes.set(number, Math.max(this.#wholes.get(number) ?? 0, isPlain ? count : Infinity));
  }

  #addStream({ number, start, end, data = end }: ObjectPlace, keys: References["keys"]): void {
    const part = this.#parts.get(data);
    const pauses = part !== undefined && isDeflatedOnly(keys);
    if (!pauses) this.#hideLength(start, end);
    const behind = this.#endOfStream(data);
    const size = pauses ? part.size : Math.max(part?.size ?? 0, behind - data);
    const stream: Stream = { number, data, end: behind, part, keys, pauses, size };
    this.#plainBytes += pauses ? 0 : behind - data;
    // Unterminated streams contain all streams after them.
    if (this.#plainBytes > OBJECT_BYTES_SHARE * this.#pdf.length) this.isTooMuch = true;
    if (this.isTooMuch) return;
    if (!pauses && size > PDF_PART_BYTES) {
      this.#omit(stream);
      return;
    }
    const streams = this.#streams.get(number);
    if (streams === undefined) this.#streams.set(number, [stream]);
    else streams.push(stream);
    this.#sizes.set(number, Math.max(this.#sizes.get(number) ?? 0, size));
    if (keys.has("First")) this.#addHolderPlace(stream);
  }

  /** Only the library knows how to read numbers in other forms. */
  #addHolderPlace({ data, keys, part, pauses, size }: Stream): void {
    const [first, count] = ["First", "N"].map((key) => (keys.get(key) ?? []).join(","));
    const isPlain = [first, count].every((number) => /^\d{1,10}$/.test(number ?? ""));
    if (!isPlain || (part !== undefined && !pauses)) this.isTooMuch = true;
    else this.#holders.set(data, { first: Number(first), count: Number(count) });
    this.objectBytes += size;
  }

  /** Without its length, a stream ends at the first `endstream`. */
  #hideLength(start: number, end: number): void {
    for (const { 0: key, index } of latin.decode(this.#pdf.subarray(start, end)).matchAll(LENGTH_KEY))
      this.#pdf.fill(X, start + index + 1, start + index + key.length);
  }

  /** Objects come in file order, so each byte is read once. */
  #endOfStream(from: number): number {
    if (this.#streamEnd < from) {
      let at = this.#pdf.indexOf(STREAM_END[0] ?? 0, from);
      while (at >= 0 && !STREAM_END.every((byte, index) => this.#pdf[at + index] === byte))
        at = this.#pdf.indexOf(STREAM_END[0] ?? 0, at + 1);
      this.#streamEnd = at < 0 ? this.#pdf.length : at;
    }
    return this.#streamEnd;
  }

  #addReferences({ lists, kids, fonts }: References): void {
    for (const list of lists) this.#addList(list);
    for (const object of fonts) this.#fontBytes += this.#sizeOf(object);
    for (const kid of kids)
      if (typeof kid === "number") this.#indirectKids.push(kid);
      else this.#kids += kid.isPlain ? Math.max(1, kid.count) : Infinity;
  }

  #addList({ times }: ReferenceList): void {
    const costs = [...times].map(([object, count]) => ({ object, count, size: this.#sizeOf(object) }));
    const streams = costs.filter(({ size }) => size > 0).toSorted((a, b) => b.count * b.size - a.count * a.size);
    let cost = streams.reduce((sum, { count, size }) => sum + count * (size + REFERENCE_BYTES), 0);
    for (const { object, count, size } of streams) {
      this.#repeats = Math.max(this.#repeats, count);
      if (cost <= PDF_PART_BYTES + REFERENCE_BYTES) return;
      if (object === UNKNOWN_OBJECT) break;
      cost -= count * size;
      for (const stream of this.#streams.get(object) ?? []) this.#omit(stream);
      this.#sizes.delete(object);
    }
    if (cost > PDF_PART_BYTES + REFERENCE_BYTES) this.isTooMuch = true;
  }

  #sizeOf(object: number): number {
    if (object === UNKNOWN_OBJECT) return PDF_PART_BYTES;
    return Math.max(this.#sizes.get(object) ?? 0, this.#sizes.get(UNKNOWN_OBJECT) ?? 0);
  }

  #omit(stream: Stream): void {
    if (stream.size === 0) return;
    if (stream.keys.get("Subtype")?.join() !== "/Image") this.omitted += 1;
    if (stream.part === undefined) this.#pdf.fill(SPACE, stream.data, stream.end);
    else omitPart(this.#pdf, stream.part.start);
    if (!stream.pauses && stream.part !== undefined) this.#pdf.fill(SPACE, stream.data, stream.end);
    stream.size = 0;
  }
}

/** Whether the library unpacks the stream only with a platform stream. */
function isDeflatedOnly(keys: References["keys"]): boolean {
  const filters = [...(keys.get("Filter") ?? []), ...(keys.get("F") ?? [])];
  const options = [...(keys.get("DecodeParms") ?? []), ...(keys.get("DP") ?? [])];
  return filters.length === 1 && DEFLATED.has(filters[0] ?? "") && options.every((option) => option === "null");
}

function mayBeForm(keys: References["keys"]): boolean {
  const types = keys.get("Subtype") ?? [];
  return types.length > 1 || types.some((type) => type === "/Form" || !type.startsWith("/"));
}

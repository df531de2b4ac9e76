-- SQLite's functions and operators that our statements use, so that one text of a statement runs on both engines
-- (docs/decisions/019-databases.md). Texts that contain JSON stay texts: a client reads back the bytes that it wrote.

CREATE FUNCTION json_valid(document text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF document IS NULL THEN RETURN NULL; END IF;
  PERFORM document::json;
  RETURN true;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character THEN
  RETURN false;
END $$;

-- PostgreSQL opens no JSON that contains NUL. In its place comes the text that the driver sends for NUL (sqlite_char).
CREATE FUNCTION sqlite_json(document text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE strpos(document, '\u0000') WHEN 0 THEN document::json
    ELSE regexp_replace(document, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\udbff\\udfff\\udbff\\udffe', 'g')::json END
$$;

-- Functions of a single row are in PL/pgSQL, which keeps their plans for the session. PostgreSQL plans a strict function in SQL again in
-- each statement, and starts an executor for each call: ten to twenty times the time.

-- '$.a.b[0]' as the array {a,b,0}. Our paths contain no quoted members.
CREATE FUNCTION sqlite_path(path text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN string_to_array(nullif(ltrim(replace(replace(substr(path, 2), '[', '.'), ']', ''), '.'), ''), '.');
END $$;

-- A scalar as text: a boolean is 1 or 0, null is NULL, as SQLite has no such types, and a number has one spelling.
CREATE FUNCTION sqlite_scalar(value json) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE json_typeof(value)
    WHEN 'boolean' THEN CASE value::text WHEN 'true' THEN '1' ELSE '0' END
    -- Numbers in one spelling, so that equal ones are equal texts.
    WHEN 'number' THEN trim_scale((value #>> '{}')::numeric)::text
    ELSE value #>> '{}' END;
END $$;

CREATE FUNCTION json_extract(document text, path text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN sqlite_scalar(CASE path WHEN '$' THEN sqlite_json(document) ELSE sqlite_json(document) #> sqlite_path(path) END);
END $$;

-- The right side is a member's name, or a path.
CREATE FUNCTION sqlite_member(document text, member text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE left(member, 1) WHEN '$' THEN json_extract(document, member) ELSE sqlite_scalar(sqlite_json(document) -> member) END;
END $$;
CREATE FUNCTION sqlite_item(document text, place integer) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN sqlite_scalar(sqlite_json(document) -> place);
END $$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = sqlite_member);
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = integer, FUNCTION = sqlite_item);

CREATE FUNCTION sqlite_json_type(value json) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE json_typeof(value)
    WHEN 'string' THEN 'text'
    WHEN 'number' THEN CASE WHEN value::text ~ '[.eE]' THEN 'real' ELSE 'integer' END
    WHEN 'boolean' THEN value::text
    ELSE json_typeof(value) END
$$;
CREATE FUNCTION json_type(document text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT sqlite_json_type(sqlite_json(document))
$$;

CREATE FUNCTION json_array_length(document text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN json_typeof(sqlite_json(document)) = 'array' THEN json_array_length(sqlite_json(document))::bigint ELSE 0 END
$$;

-- A list's items by their number, or an object's members by their names; a scalar is its own only row. `key` and `value` are texts.
CREATE FUNCTION json_each(document text) RETURNS TABLE (key text, value text, type text, atom text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS $$
  SELECT rows.key, sqlite_scalar(rows.item), sqlite_json_type(rows.item),
    CASE WHEN json_typeof(rows.item) NOT IN ('array', 'object') THEN sqlite_scalar(rows.item) END
  FROM (
    SELECT (items.number - 1)::text AS key, items.item
    FROM json_array_elements(CASE json_typeof(sqlite_json(document)) WHEN 'array' THEN sqlite_json(document) ELSE '[]' END)
      WITH ORDINALITY AS items (item, number)
    UNION ALL
    SELECT members.key, members.value
    FROM json_each(CASE json_typeof(sqlite_json(document)) WHEN 'object' THEN sqlite_json(document) ELSE '{}' END) AS members
    UNION ALL
    SELECT NULL, sqlite_json(document) WHERE json_typeof(sqlite_json(document)) NOT IN ('array', 'object')
  ) AS rows
$$;
CREATE FUNCTION json_each(document text, path text) RETURNS TABLE (key text, value text, type text, atom text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS $$
  SELECT inner_rows.key, inner_rows.value, inner_rows.type, inner_rows.atom
  FROM json_each((sqlite_json(document) #> sqlite_path(path))::text) AS inner_rows
$$;

-- Every node of a document, with its path from the root.
CREATE FUNCTION json_tree(document text) RETURNS TABLE (fullkey text, type text, atom text)
-- In PL/pgSQL, so that the planner uses this number of rows: inlined, the estimate is 20,000, and PostgreSQL compiles the query.
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE ROWS 50 AS $$
BEGIN
  RETURN QUERY WITH RECURSIVE nodes (path, item) AS (
    SELECT '$'::text, sqlite_json(document) WHERE document IS NOT NULL
    UNION ALL
    SELECT nodes.path || inside.step, inside.item FROM nodes CROSS JOIN LATERAL (
      SELECT '[' || (items.number - 1) || ']' AS step, items.item
      FROM json_array_elements(CASE json_typeof(nodes.item) WHEN 'array' THEN nodes.item ELSE '[]' END)
        WITH ORDINALITY AS items (item, number)
      UNION ALL
      SELECT '.' || to_json(members.key)::text, members.value
      FROM json_each(CASE json_typeof(nodes.item) WHEN 'object' THEN nodes.item ELSE '{}' END) AS members
    ) AS inside
  )
  SELECT nodes.path, sqlite_json_type(nodes.item),
    CASE WHEN json_typeof(nodes.item) NOT IN ('array', 'object') THEN sqlite_scalar(nodes.item) END
  FROM nodes;
END $$;

-- Whether two documents have the same value: the order of members and the spelling of numbers are ignored.
CREATE FUNCTION sqlite_same_json(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sqlite_json(one)::jsonb = sqlite_json(other)::jsonb
$$;

-- JSON Merge Patch (RFC 7396). Members keep their places; new ones come last.
CREATE FUNCTION json_patch(target text, patch text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF json_typeof(sqlite_json(patch)) <> 'object' THEN RETURN patch; END IF;
  RETURN '{' || coalesce((
    SELECT string_agg(to_json(coalesce(stored.name, given.name))::text || ':' || CASE WHEN given.name IS NULL
      THEN stored.item::text ELSE json_patch(coalesce(stored.item::text, 'null'), given.item::text) END,
      ',' ORDER BY stored.place, given.place)
    FROM json_each(CASE json_typeof(sqlite_json(target)) WHEN 'object' THEN sqlite_json(target) ELSE '{}' END)
        WITH ORDINALITY AS stored (name, item, place)
      FULL JOIN json_each(sqlite_json(patch)) WITH ORDINALITY AS given (name, item, place) ON given.name = stored.name
    WHERE given.name IS NULL OR json_typeof(given.item) <> 'null'
  ), '') || '}';
END $$;

CREATE FUNCTION sqlite_append(list text, item anyelement) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE list WHEN '' THEN '' ELSE list || ',' END || coalesce(to_json(item)::text, 'null')
$$;
CREATE FUNCTION sqlite_list(list text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT '[' || list || ']' $$;
CREATE AGGREGATE json_group_array(anyelement) (SFUNC = sqlite_append, STYPE = text, FINALFUNC = sqlite_list, INITCOND = '');

-- Of numbers, as a number that is 0 for no rows.
CREATE FUNCTION sqlite_add(sum bigint, more bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sum + coalesce(more, 0)
$$;
CREATE FUNCTION sqlite_add(sum bigint, more integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sum + coalesce(more, 0)
$$;
CREATE FUNCTION sqlite_add(sum bigint, more boolean) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sum + CASE WHEN more THEN 1 ELSE 0 END
$$;
CREATE FUNCTION sqlite_add(sum bigint, more numeric) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sum + coalesce(more, 0)::bigint
$$;
CREATE AGGREGATE total(integer) (SFUNC = sqlite_add, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE total(bigint) (SFUNC = sqlite_add, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE total(boolean) (SFUNC = sqlite_add, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE total(numeric) (SFUNC = sqlite_add, STYPE = bigint, INITCOND = '0');

-- The functions of two values: NULL if one is.
CREATE FUNCTION max(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN one >= other THEN one ELSE other END
$$;
CREATE FUNCTION min(one bigint, other bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN one <= other THEN one ELSE other END
$$;
CREATE FUNCTION max(one text, other text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN one COLLATE "C" >= other COLLATE "C" THEN one ELSE other END
$$;
CREATE FUNCTION min(one text, other text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN one COLLATE "C" <= other COLLATE "C" THEN one ELSE other END
$$;
CREATE FUNCTION iif(condition boolean, yes anycompatible, no anycompatible) RETURNS anycompatible
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN condition THEN yes ELSE no END $$;

CREATE FUNCTION instr(content text, part text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT strpos(content, part)::bigint
$$;
CREATE FUNCTION instr(content bytea, part bytea) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT position(part IN content)::bigint
$$;
-- A negative beginning counts from the end.
CREATE FUNCTION sqlite_substr(content text, beginning bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN beginning < 0 THEN right(content, (-beginning)::integer) ELSE substr(content, beginning::integer) END;
END $$;
CREATE FUNCTION sqlite_substr(content text, beginning bigint, count bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN beginning < 0 THEN left(right(content, (-beginning)::integer), greatest(count, 0)::integer)
    ELSE substr(content, beginning::integer, greatest(count, 0)::integer) END;
END $$;
-- Null for a text that is not hexadecimal, as in SQLite.
CREATE FUNCTION unhex(digits text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN CASE WHEN digits ~ '^([0-9A-Fa-f]{2})*$' THEN decode(digits, 'hex') END;
END $$;
CREATE FUNCTION sqlite_substr(content bytea, beginning bigint) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(content, (CASE WHEN beginning < 0 THEN greatest(length(content) + beginning + 1, 1) ELSE beginning END)::integer)
$$;
CREATE FUNCTION sqlite_substr(content bytea, beginning bigint, count bigint) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT substr(content, (CASE WHEN beginning < 0 THEN greatest(length(content) + beginning + 1, 1) ELSE beginning END)::integer,
    greatest(count, 0)::integer)
$$;

-- Days are texts like 2026-11-25; the shift is like '+3 days'.
CREATE FUNCTION sqlite_date(day text, shift text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_char(day::date + shift::interval, 'YYYY-MM-DD')
$$;

-- SQLite counts conditions, and has one type of integers.
CREATE FUNCTION sqlite_plus(number bigint, condition boolean) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT number + CASE WHEN condition THEN 1 ELSE 0 END
$$;
CREATE OPERATOR + (LEFTARG = bigint, RIGHTARG = boolean, FUNCTION = sqlite_plus);
CREATE FUNCTION sqlite_shift(number bigint, places bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT number << places::integer
$$;
CREATE OPERATOR << (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = sqlite_shift);
-- A plus sign that keeps SQLite from choosing an index changes nothing here.
CREATE FUNCTION sqlite_same(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT content $$;
CREATE OPERATOR + (RIGHTARG = text, FUNCTION = sqlite_same);

-- Patterns of GLOB as we write them: * and ?, and a literal character in brackets.
CREATE FUNCTION sqlite_glob(content text, pattern text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT content ~ ('^(?:' || replace(replace(replace(replace(
    regexp_replace(replace(replace(replace(pattern, '[*]', E'\x01'), '[?]', E'\x02'), '[[]', E'\x03'),
      '([\\.^$+|(){}\[\]])', '\\\1', 'g'), '*', '.*'), '?', '.'),
    E'\x01', '\*'), E'\x02', '\?') || ')$')
$$;
CREATE OPERATOR @~ (LEFTARG = text, RIGHTARG = text, FUNCTION = sqlite_glob);

-- Texts as the full-text index compares them, like unicode61 with remove_diacritics: lower case, without accents, and with
-- spaces between its words.
CREATE FUNCTION search_form(content text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(
    regexp_replace(lower(normalize(content, NFKD) COLLATE "und-x-icu"), '[\u0300-\u036f]+', '', 'g'),
    '[^[:alnum:]]+' COLLATE "und-x-icu", ' ', 'g')
$$;
CREATE FUNCTION search_words(name text, content text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT setweight(to_tsvector('pg_catalog.simple', search_form(name)), 'A')
    || setweight(to_tsvector('pg_catalog.simple', search_form(content)), 'D')
$$;
-- Queries of FTS5 as we write them: "word" AND "word" *, {name} : (...), NOT, and groups.
CREATE FUNCTION search_query(query text) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  part text[];
  named boolean := false;
  depth integer := 0;
  named_depth integer := 0;
  words text;
  result text := '';
BEGIN
  FOR part IN SELECT regexp_matches(query, '"([^"]*)"( \*)?|(\{name\} : )|(\()|(\))|(AND)|(NOT)', 'g') LOOP
    IF part[1] IS NOT NULL THEN
      -- The parser can make several lexemes of a word, such as of one with a digit; they follow one another.
      words := trim(search_form(part[1]));
      IF words = '' THEN RETURN NULL; END IF;
      result := result || '(' || (
        SELECT string_agg('''' || word || '''' || CASE
          WHEN number = count AND part[2] IS NOT NULL THEN CASE WHEN named THEN ':*A' ELSE ':*' END
          WHEN named THEN ':A' ELSE '' END, ' <-> ' ORDER BY number)
        FROM (SELECT word, number, count(*) OVER () AS count
          FROM regexp_split_to_table(words, ' ') WITH ORDINALITY AS split (word, number)) AS numbered
      ) || ')';
    ELSIF part[3] IS NOT NULL THEN named := true; named_depth := depth;
    ELSIF part[4] IS NOT NULL THEN result := result || '('; depth := depth + 1;
    ELSIF part[5] IS NOT NULL THEN
      result := result || ')'; depth := depth - 1;
      IF named AND depth = named_depth THEN named := false; END IF;
    ELSIF part[6] IS NOT NULL THEN result := result || ' & ';
    ELSE result := result || ' & !';
    END IF;
  END LOOP;
  RETURN result::tsquery;
END $$;

-- A text of PostgreSQL contains no NUL, for which SQLite's char(0) is searched; this text occurs in none.
CREATE FUNCTION sqlite_char(code integer) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE code WHEN 0 THEN E'\U0010FFFF\U0010FFFE' ELSE chr(code) END
$$;

-- The number of rows for which a condition holds; NULL for no rows, as for numbers.
CREATE FUNCTION sqlite_count(sum bigint, more boolean) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN more IS NULL THEN sum ELSE coalesce(sum, 0) + CASE WHEN more THEN 1 ELSE 0 END END
$$;
CREATE AGGREGATE sum(boolean) (SFUNC = sqlite_count, STYPE = bigint);

-- Statements of the registry read few rows by the index that they name in SQLite. Estimates for JSON are rough, so the planner must not
-- prefer a scan or a hash of a whole table. This applies to the role that migrates; docs/deploy.md has the command for another role.
DO $$
DECLARE
  setting text;
BEGIN
  FOREACH setting IN ARRAY ARRAY['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off', 'jit = off'] LOOP
    EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %s', current_database(), setting);
  END LOOP;
END $$;

import { hash } from 'node:crypto';

/** A line that the tool writes. */
export interface OwnLine {
  /** Stable within the section. */
  readonly id: string;
  /** Markdown, one line. */
  readonly text: string;
  /** Whether the box of an item is ticked; undefined for a line without a box. */
  readonly done?: boolean;
  /** Whether what the item is about is made anew, so that a tick of before was for another object. */
  readonly isNew?: boolean;
}

/** The lines of the tool about one area of one site; `id` tells the section from those of others. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly OwnLine[];
  /** Whether the run could not tell if an item exists; such an item of an earlier run stays as it stands. */
  readonly isUnknown?: (id: string) => boolean;
}

// A line of the tool ends in a comment with its id and the hash of what the tool wrote. Any other line is a person's and is kept.
const markerForm = /<!-- sync-tool (\S+) ([0-9a-f]{8}) -->/;
const boxForm = /^(\s*(?:[-*+]|\d+[.)])\s+\[)([ xX])(\]\s+)/;
// An item that is no longer asked; without a box unless a person has ticked it.
const goneForm = /^(\s*(?:[-*+]|\d+[.)])\s+)(\[[ xX]\]\s+)?~~(.*)~~ \*\(no longer asked\)\*(.*)$/;
const sectionForm = /^section\./;

const hashOf = (text: string, done: boolean | undefined): string =>
  hash('sha256', `${done === undefined ? '' : `${done} `}${text}`).slice(0, 8);

/** A line of the tool as it stands in the file, where a person may have changed it. */
interface StoredLine {
  readonly id: string;
  /** Without box and marker. */
  readonly text: string;
  readonly done: boolean | undefined;
  /** Hash of the text and the box that the tool wrote. */
  readonly hash: string;
  /** Whether it stands as an item that is no longer asked. */
  readonly isGone: boolean;
  /** As it stands; an item that is no longer asked, as it stood before. */
  readonly raw: string;
}

const storedLine = (raw: string): StoredLine | undefined => {
  const found = markerForm.exec(raw);
  if (!found) return undefined;
  const [marker, id = '', hash = ''] = found;
  const stands = raw.replace(marker, '').trimEnd();
  const [, bullet = '', tick = '[ ] ', asked = '', more = ''] = goneForm.exec(stands) ?? [];
  const shown = bullet === '' ? stands : `${bullet}${tick}${asked}${more}`;
  const box = boxForm.exec(shown);
  return {
    id,
    text: box ? shown.slice(box[0].length) : shown,
    done: box ? box[2] !== ' ' : undefined,
    hash,
    isGone: bullet !== '',
    raw: bullet === '' ? raw : `${shown} ${marker}`,
  };
};

/** A line of the tool and the lines of a person behind it. */
interface Entry {
  readonly line: StoredLine;
  readonly notes: string[];
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

const dropBlankEnd = (lines: string[]): string[] => lines.slice(0, lines.findLastIndex((line) => !isBlank(line)) + 1);

/** Splits a section into the lines of the tool with their notes. A second line with the same id is a person's copy. */
const entriesOf = (lines: readonly string[]): ReadonlyMap<string, Entry> => {
  const entries = new Map<string, Entry>();
  let notes: string[] = [];
  for (const raw of lines) {
    const line = storedLine(raw);
    if (line && !entries.has(line.id)) entries.set(line.id, { line, notes: (notes = []) });
    else notes.push(raw);
  }
  return new Map([...entries].map(([id, entry]) => [id, { ...entry, notes: dropBlankEnd(entry.notes) }]));
};

const wrote = ({ hash }: StoredLine, text: string): boolean =>
  [undefined, true, false].some((done) => hashOf(text, done) === hash);

/** Whether a person has changed the text of a line. */
const isReworded = (line: StoredLine): boolean => !wrote(line, line.text);

/** Whether a person has changed the box of a line; an empty box in a reworded line counts as the tool's. */
const isTickedByPerson = (line: StoredLine): boolean =>
  line.done !== undefined && (isReworded(line) ? line.done : hashOf(line.text, line.done) !== line.hash);

const boxOf = (done: boolean | undefined): string => (done === undefined ? '' : `- [${done ? 'x' : ' '}] `);

/** Formats a line. The hash of a line with a person's tick is that of the other box, so that the tick stays the person's. */
const lineOf = ({ id, text, done }: OwnLine, isTheirs: boolean): string =>
  `${boxOf(done)}${text} <!-- sync-tool ${id} ${hashOf(text, isTheirs ? !done : done)} -->`;

/** Indents the text of a person under the line that it stood in. */
const formerText = ({ text, done }: StoredLine): string => (done === undefined ? text : `  ${text}`);

/** The line as it goes into the file, with what a person has made of it. */
const mergedLine = (own: OwnLine, entry: Entry | undefined): { readonly done: boolean; readonly lines: string[] } => {
  if (!entry) return { done: own.done ?? false, lines: [lineOf(own, false)] };
  const { line, notes } = entry;
  const isTheirs = isTickedByPerson(line) && own.done !== undefined && !own.isNew;
  const done = isTheirs ? line.done : own.done;
  const ticked = done === undefined ? own : { ...own, done };
  if (!isReworded(line)) return { done: done ?? false, lines: [lineOf(ticked, isTheirs), ...notes] };
  if (!wrote(line, own.text))
    return { done: done ?? false, lines: [lineOf(ticked, isTheirs), formerText(line), ...notes] };
  const raw = done === undefined ? line.raw : line.raw.replace(boxForm, `$1${done ? 'x' : ' '}$3`);
  return { done: done ?? false, lines: [raw, ...notes] };
};

/** Whether a person has ticked, changed or annotated a line. */
const isTouched = ({ line, notes }: Entry): boolean =>
  isTickedByPerson(line) || isReworded(line) || notes.some((note) => !isBlank(note));

/** An item that is no longer asked: no open box, and the marker of before, by which the same line comes back. */
const goneLine = ({ id, text, done, hash }: StoredLine): string =>
  `- ${done ? '[x] ' : ''}~~${text}~~ *(no longer asked)* <!-- sync-tool ${id} ${hash} -->`;

/** A line of the tool, as it goes into the file, with what a person wrote behind it. */
interface Placed {
  readonly id: string;
  readonly isItem: boolean;
  readonly lines: readonly string[];
}

/** Lines in groups: a line without a box, and the items behind it. */
const groupsOf = <T>(all: readonly T[], isItem: (each: T) => boolean): T[][] => {
  const groups: T[][] = [];
  for (const each of all) {
    const last = groups.at(-1);
    if (last && isItem(each)) last.push(each);
    else groups.push([each]);
  }
  return groups;
};

/** Inserts what stays where it stood: an item behind the one before it, a group before the one behind it. */
const inPlace = (
  own: readonly Placed[],
  stored: readonly Entry[],
  stay: (entry: Entry) => Placed | undefined,
): Placed[] => {
  const groups = groupsOf(own, ({ isItem }) => isItem);
  const headed = new Map(groups.map((group) => [group[0]?.id, group]));
  let behind = groups.length;
  for (const [head, ...items] of groupsOf(stored, ({ line }) => line.done !== undefined).toReversed()) {
    if (!head) continue;
    const known = headed.get(head.line.id);
    const group = known ?? [];
    let at = Math.min(1, group.length);
    for (const entry of items) {
      const before = group.findIndex(({ id }) => id === entry.line.id);
      const placed = stay(entry);
      if (before !== -1) at = before + 1;
      else if (placed) group.splice(at++, 0, placed);
    }
    if (known) behind = groups.indexOf(known);
    const staying = known ? undefined : stay(head);
    if (staying) group.unshift(staying);
    else if (group.length > 0 && !known)
      group.unshift({ id: head.line.id, isItem: false, lines: [head.line.raw, ...head.notes] });
    if (!known && group.length > 0) groups.splice(behind, 0, group);
  }
  return groups.flat();
};

/** A list is one paragraph; every other line of the tool stands by itself. */
const needsGap = (placed: Placed, before: Placed | undefined): boolean =>
  before !== undefined && !(placed.isItem && before.isItem);

/** A line whose comment a person removed is known by its text, so that it does not come a second time. */
const withMarkers = (stored: readonly string[], own: readonly OwnLine[]): string[] => {
  const marked = new Set(stored.map((raw) => storedLine(raw)?.id));
  const byText = new Map(own.flatMap((line) => (marked.has(line.id) ? [] : [[line.text, line]])));
  return stored.map((raw) => {
    if (storedLine(raw)) return raw;
    const box = boxForm.exec(raw);
    const line = byText.get((box ? raw.slice(box[0].length) : raw).trim());
    if (!line || (box === null) !== (line.done === undefined)) return raw;
    byText.delete(line.text);
    const done = box ? { done: box[2] !== ' ' } : {};
    return lineOf({ id: line.id, text: line.text, ...done }, done.done === true);
  });
};

interface MergedSection {
  readonly lines: string[];
  readonly done: ReadonlyMap<string, boolean>;
}

const mergeSection = (stored: readonly string[], { id, title, lines, isUnknown }: Section): MergedSection => {
  const all: readonly OwnLine[] = [{ id, text: title }, ...lines];
  const entries = entriesOf(withMarkers(stored, all));
  const known = new Set(all.map((own) => own.id));
  const merged = new Map(all.map((own) => [own.id, mergedLine(own, entries.get(own.id))]));
  const own = all.map((each) => ({
    id: each.id,
    isItem: each.done !== undefined,
    lines: merged.get(each.id)?.lines ?? [],
  }));
  const stay = (entry: Entry): Placed | undefined => {
    const { line, notes } = entry;
    const isItem = line.done !== undefined;
    if (known.has(line.id)) return undefined;
    if (isUnknown?.(line.id))
      return { id: line.id, isItem, lines: [line.isGone ? goneLine(line) : line.raw, ...notes] };
    return isTouched(entry) ? { id: line.id, isItem: true, lines: [goneLine(line), ...notes] } : undefined;
  };
  const placed = inPlace(own, [...entries.values()], stay);
  const out = placed.flatMap((each, at) => (needsGap(each, placed[at - 1]) ? [''] : []).concat(each.lines));
  return { lines: out, done: new Map([...merged].map(([each, { done }]) => [each, done])) };
};

/** The sections of a file, by id; the text before the first one has the id `''`. */
const sectionsOf = (lines: readonly string[]): Map<string, string[]> => {
  const sections = new Map<string, string[]>([['', []]]);
  let current = '';
  for (const raw of lines) {
    const id = storedLine(raw)?.id ?? '';
    if (sectionForm.test(id) && !sections.has(id)) sections.set((current = id), []);
    sections.get(current)?.push(raw);
  }
  return sections;
};

/** Encodes a text for an id, which contains neither spaces nor the end of a comment. */
export const encodeId = (text: string): string => encodeURIComponent(text);

/** Whether the tool wrote a part of a file. */
export const isChecklist = (content: string): boolean =>
  content.split('\n').some((line) => {
    const id = storedLine(line)?.id;
    return id !== undefined && sectionForm.test(id);
  });

/** Ids of the lines in a section of a file; undefined when it has no such section. */
export const storedIds = (content: string, section: string): ReadonlySet<string> | undefined => {
  const lines = sectionsOf(content.split('\n')).get(section);
  return lines && new Set(entriesOf(lines).keys());
};

/**
 * Replaces one line of the tool in a section, or inserts it below the title; a file without the section stays as it is. Pure.
 * @param id of the line that it takes the place of
 */
export const replaceLine = (content: string, section: string, own: OwnLine, id = own.id): string => {
  const eol = content.includes('\r\n') ? '\r\n' : '\n';
  const lines = sectionsOf(content.split(/\r?\n/)).get(section);
  if (!lines) return content;
  const at = lines.findIndex((raw) => storedLine(raw)?.id === id);
  const line = lineOf(own, false);
  const written = at === -1 ? lines.toSpliced(1, 0, '', line) : lines.with(at, line);
  return content.replace(lines.join(eol), () => written.join(eol));
};

/** The content of a file with a section brought up to date, and which of its items are done. */
export interface Merged {
  readonly content: string;
  readonly done: ReadonlyMap<string, boolean>;
}

/**
 * Brings one section of a file up to date. Keeps all other sections, every line that a person wrote, and every tick of a person: an item
 * that is no longer asked stays struck through where a person ticked it or wrote below it, and comes back as it was. Pure.
 */
export const mergeChecklist = (content: string, section: Section): Merged => {
  const eol = content.includes('\r\n') ? '\r\n' : '\n';
  const sections = sectionsOf(content.split(/\r?\n/));
  const { lines, done } = mergeSection(sections.get(section.id) ?? [], section);
  sections.set(section.id, lines);
  const blocks = [...sections.values()].map(dropBlankEnd).filter((block) => block.length > 0);
  return { content: `${blocks.map((block) => block.join(eol)).join(`${eol}${eol}`)}${eol}`, done };
};

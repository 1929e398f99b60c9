/** One row of an option table of the manual. */
export interface ManualOption {
  readonly flags: string;
  readonly preset: string;
}

/** What the manual says of one section: its options, those of the sections that it points to included. */
export type Manual = ReadonlyMap<string, readonly ManualOption[]>;

const rowsOf = (section: string): readonly ManualOption[] =>
  [...section.matchAll(/^\| `(-[^`]+)` +\|.*\| +(.*?) +\|$/gm)].map(([, flags = '', preset = '']) => ({
    flags,
    preset: preset.replaceAll('`', ''),
  }));

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

/** Reads the option tables of the manual by the headings above them. */
export const readManual = (markdown: string): Manual => {
  const sections = markdown.split(/^##+ /m).map((section) => {
    const [title = ''] = section.split('\n');
    return { title, text: section };
  });
  const shared = new Map(sections.map(({ title, text }) => [anchorOf(title), rowsOf(text)]));
  return new Map(
    sections.map(({ title, text }) => {
      const links = [...text.matchAll(/\]\(#([a-z-]+)\)/g)].flatMap(([, anchor = '']) => shared.get(anchor) ?? []);
      return [title, [...rowsOf(text), ...(title.startsWith('sync-tool ') ? links : [])]];
    }),
  );
};

/** A command of a recorded session, whose lines end in a backslash where it goes on, and the lines that it prints. */
export interface Step {
  readonly command: string;
  readonly lines: readonly string[];
}

/** Stands in a recorded session for lines that are left out. */
const gap = '…';

/** The recorded sessions of one section of a Markdown document: its `console` blocks, in order. */
export const sessionsOf = (markdown: string, heading: string): readonly (readonly Step[])[] => {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no section "${heading}"`);
  return [...section.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
    block.split(/^\$ /m).flatMap((part) => {
      const [, command = '', rest = ''] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(part.trimEnd()) ?? [];
      return command === '' ? [] : [{ command, lines: rest === '' ? [] : rest.split('\n') }];
    }),
  );
};

/** Whether lines are what was recorded. */
export const isRecorded = (recorded: readonly string[], lines: readonly string[]): boolean => {
  const [first, ...rest] = recorded;
  if (first === undefined) return lines.length === 0;
  if (first === gap) return lines.some((_, at) => isRecorded(rest, lines.slice(at))) || rest.length === 0;
  return first === lines[0] && isRecorded(rest, lines.slice(1));
};

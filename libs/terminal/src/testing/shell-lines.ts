/** The commands of a document's `sh` blocks, one a line; a line that ends in a backslash goes on in the next. */
export const shellLines = (markdown: string): string[] =>
  [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  );

/** A command as a shell would hand it over, without its quotes. */
export const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/^["']|["']$/g, ''));

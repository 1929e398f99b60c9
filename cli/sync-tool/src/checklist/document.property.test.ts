import { fc, testProp } from '@fast-check/ava';
import { mergeChecklist, type OwnLine, type Section } from './document.ts';

const words = ['Pick an icon', 'Create the team "A"', 'Grant *permissions*', 'Choose the group', '# not a heading'];

const item: fc.Arbitrary<OwnLine> = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  text: fc.constantFrom(...words),
  done: fc.constant(false),
});

/** One run: the items that there are for one of two areas. */
const run: fc.Arbitrary<Section> = fc
  .record({
    area: fc.constantFrom('1', '2'),
    items: fc.uniqueArray(item, { selector: ({ id }) => id }),
    unread: fc.subarray(['a', 'b', 'c', 'd']),
  })
  .map(({ area, items, unread }) => ({
    id: `section.${area}`,
    title: `# Area ${area}`,
    lines: [...items, { id: 'notes', text: 'Notes' }],
    isUnknown: (id) => unread.includes(id),
  }));

/** Lines that no run writes: each is told from the others by its number. */
const personal = fc.constantFrom(
  'a note',
  '  - [x] an item of mine',
  '- [ ] to do',
  '## Mine',
  '<!-- mine -->',
  '\t| x |',
);

type Edit =
  | { readonly edit: 'run'; readonly section: Section }
  | { readonly edit: 'insert'; readonly at: number; readonly line: string }
  | { readonly edit: 'append' | 'tick'; readonly at: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant('run' as const), section: run }),
  fc.record({ edit: fc.constant('insert' as const), at: fc.nat(40), line: personal }),
  fc.record({ edit: fc.constantFrom('append' as const, 'tick' as const), at: fc.nat(40) }),
);

const isItem = (line: string): boolean => line.startsWith('- [') && line.includes('<!-- sync-tool');

/** An edit of a person; `own` is a text that the file must keep from then on. */
const edited = (content: string, change: Exclude<Edit, { edit: 'run' }>, own: string): string => {
  const lines = content.split('\n');
  const at = lines.length === 0 ? 0 : change.at % lines.length;
  const line = lines[at] ?? '';
  if (change.edit === 'insert') lines.splice(at, 0, `${change.line} ${own}`);
  if (change.edit === 'append' && line !== '') lines[at] = line.replace(/( <!--.*)?$/, ` ${own}$1`);
  if (change.edit === 'tick' && isItem(line)) lines[at] = line.replace('- [ ]', '- [x]');
  return lines.join('\n');
};

const idOf = (line: string): string => /<!-- sync-tool (\S+)/.exec(line)?.[1] ?? '';

/** Ticked items of each section. */
const ticks = (content: string): Set<string> => {
  const found = new Set<string>();
  let section = '';
  for (const line of content.split('\n')) {
    if (idOf(line).startsWith('section.')) section = idOf(line);
    if (isItem(line) && line.startsWith('- [x]')) found.add(`${section} ${idOf(line)}`);
  }
  return found;
};

testProp(
  'whatever runs and people write in turn, no line of a person is lost, a tick stays as long as its item, and a second run changes nothing',
  [fc.array(edit, { maxLength: 30 })],
  (t, edits) => {
    let content = '';
    const owns: string[] = [];
    for (const [number, change] of [
      { edit: 'run', section: { id: 'section.1', title: '# 1', lines: [] } } as const satisfies Edit,
      ...edits,
    ].entries()) {
      if (change.edit === 'run') {
        const before = ticks(content);
        const { id, lines, isUnknown } = change.section;
        const merged = mergeChecklist(content, change.section);
        t.is(mergeChecklist(merged.content, change.section).content, merged.content);
        const after = ticks(merged.content);
        for (const tick of before)
          if (
            !tick.startsWith(`${id} `) ||
            isUnknown?.(tick.slice(id.length + 1)) ||
            lines.some((line) => tick === `${id} ${line.id}`)
          )
            t.true(after.has(tick), tick);
        ({ content } = merged);
      } else {
        const own = `<own ${number}>`;
        const changed = edited(content, change, own);
        if (changed.includes(own)) owns.push(own);
        content = changed;
      }
      for (const own of owns) t.is(content.split(own).length, 2, `${own} in\n${content}`);
    }
  },
);

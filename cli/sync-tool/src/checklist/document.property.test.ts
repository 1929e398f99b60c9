import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { mergeChecklist, type OwnLine, type Section } from './document.ts';

const words = ['Pick an icon', 'Create the team "A"', 'Grant *permissions*', 'Choose the group', '# not a heading'];

const item: fc.Arbitrary<OwnLine> = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  text: fc.constantFrom(...words),
  done: fc.boolean(),
});

/** One run: the items that there are for one of two areas, some of them under a heading of their own. */
const run: fc.Arbitrary<Section> = fc
  .record({
    area: fc.constantFrom('1', '2'),
    items: fc.uniqueArray(item, { selector: ({ id }) => id }),
    under: fc.nat(4),
    unread: fc.subarray(['a', 'b', 'c', 'd']),
  })
  .map(({ area, items, under, unread }) => ({
    id: `section.${area}`,
    title: `# Area ${area}`,
    lines: [
      ...items.slice(0, under),
      ...(under < items.length ? [{ id: 'for.them', text: '## Them' }, ...items.slice(under)] : []),
      { id: 'notes', text: 'Notes' },
    ],
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

const isOpen = (line: string): boolean => line.startsWith('- [ ]') && line.includes('<!-- sync-tool');

/** An edit of a person; `own` is a text that the file must keep from then on. */
const edited = (content: string, change: Exclude<Edit, { edit: 'run' }>, own: string): string => {
  const lines = content.split('\n');
  const at = lines.length === 0 ? 0 : change.at % lines.length;
  const line = lines[at] ?? '';
  if (change.edit === 'insert') lines.splice(at, 0, `${change.line} ${own}`);
  if (change.edit === 'append' && line !== '') lines[at] = line.replace(/( <!--.*)?$/, ` ${own}$1`);
  if (change.edit === 'tick' && isOpen(line))
    lines[at] = line.replace('- [ ]', change.at % 2 === 0 ? '- [x]' : '-  [X]');
  return lines.join('\n');
};

const idOf = (line: string): string => /<!-- sync-tool (\S+)/.exec(line)?.[1] ?? '';

/** The lines of each item, by section and id. */
const itemLines = (content: string): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  let section = '';
  for (const line of content.split('\n')) {
    const id = idOf(line);
    if (id.startsWith('section.')) section = id;
    if (id !== '') found.set(`${section} ${id}`, [...(found.get(`${section} ${id}`) ?? []), line]);
  }
  return found;
};

/** Items that a person ticked between two versions. */
const ticked = (before: string, after: string): string[] => {
  const former = itemLines(before);
  return [...itemLines(after)].flatMap(([key, [line = '']]) =>
    /^- +\[[xX]\]/.test(line) && former.get(key)?.[0]?.startsWith('- [ ]') ? [key] : [],
  );
};

testProp(
  'whatever runs and people write in turn and whichever items come and go, no line and no tick of a person is lost, and a second run changes nothing',
  [fc.array(edit, { maxLength: 30 })],
  (t, edits) => {
    let content = '';
    const owns: string[] = [];
    const ticks = new Set<string>();
    for (const [number, change] of [
      { edit: 'run', section: { id: 'section.1', title: '# 1', lines: [] } } as const satisfies Edit,
      ...edits,
    ].entries()) {
      if (change.edit === 'run') {
        const { id, lines, isUnknown } = change.section;
        const merged = mergeChecklist(content, change.section);
        t.is(mergeChecklist(merged.content, change.section).content, merged.content);
        ({ content } = merged);
        const there = itemLines(content);
        for (const key of ticks) {
          t.is(there.get(key)?.length, 1, key);
          t.regex(there.get(key)?.[0] ?? '', /^- +\[[xX]\]/);
          if (!key.startsWith(`${id} `) || isUnknown?.(key.slice(id.length + 1))) continue;
          const isAsked = lines.some((line) => key === `${id} ${line.id}`);
          t.is(there.get(key)?.[0]?.includes('no longer asked'), !isAsked, key);
        }
      } else {
        const own = `<own ${number}>`;
        const changed = edited(content, change, own);
        if (changed.includes(own)) owns.push(own);
        for (const key of ticked(content, changed)) ticks.add(key);
        content = changed;
      }
      for (const own of owns) t.is(content.split(own).length, 2, `${own} in\n${content}`);
    }
  },
);

const asked: Section = {
  id: 'section.1',
  title: '# Area 1',
  lines: [
    { id: 'for.operator', text: '## Operator' },
    { id: 'flag', text: 'Switch it on', done: false },
    { id: 'for.admin', text: '## Admin' },
    { id: 'a', text: 'First', done: false },
    { id: 'b', text: 'Second', done: false },
    { id: 'c', text: 'Third', done: false },
    { id: 'notes', text: 'Notes' },
  ],
};

test('a line whose comment somebody removed is known by its text, with its tick, and does not come a second time', (t) => {
  const first = mergeChecklist('', asked).content.replace('- [ ] First', '- [x] First');
  const bare = first.replaceAll(/ <!-- sync-tool (?!section).*-->/g, '');
  const { content, done } = mergeChecklist(bare, asked);
  t.is(content, mergeChecklist(first, asked).content);
  t.true(done.get('a'));
});

test('an item that is no longer asked stays in place where a person ticked it or wrote below it, without an open box, and comes back as it was', (t) => {
  const first = mergeChecklist('', asked).content;
  const worked = first
    .replace('- [ ] Switch', '-  [x] Switch')
    .replace('- [ ] First', '- [x] First')
    .replace(/(Second.*\n)/, '$1  ask Ana\n');
  const less = { ...asked, lines: asked.lines.filter(({ id }) => ['for.admin', 'notes'].includes(id)) };
  const without = mergeChecklist(worked, less).content;
  t.deepEqual(without.replaceAll(/ <!--.*-->/g, '').split('\n'), [
    '# Area 1',
    '',
    '## Operator',
    '',
    '- [x] ~~Switch it on~~ *(no longer asked)*',
    '',
    '## Admin',
    '',
    '- [x] ~~First~~ *(no longer asked)*',
    '- ~~Second~~ *(no longer asked)*',
    '  ask Ana',
    '',
    'Notes',
    '',
  ]);
  t.is(mergeChecklist(without, asked).content, worked.replace('-  [x]', '- [x]'));
});

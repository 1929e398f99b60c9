import { fc, testProp } from '@fast-check/ava';
import { createLife } from '../events/test/life.ts';
import { harness, type Harness } from '../events/test/harness.ts';

type Step =
  | { readonly kind: 'create'; readonly event: number; readonly notes: number }
  | {
      readonly kind: 'set';
      readonly event: number;
      readonly member: 'state' | 'priority' | 'title';
      readonly to: number;
    }
  | { readonly kind: 'note' | 'file' | 'touch'; readonly event: number }
  | { readonly kind: 'run'; readonly forced: boolean }
  | { readonly kind: 'killed'; readonly at: number; readonly after: boolean };

const event = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), event, notes: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      event,
      member: fc.constantFrom('state' as const, 'priority' as const, 'title' as const),
      to: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('note' as const, 'file' as const, 'touch' as const), event }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const), forced: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('killed' as const), at: fc.nat(40), after: fc.boolean() }) },
);

const values = {
  state: ['new', 'active', 'resolved', null],
  priority: [0, 100, 200, 300],
  title: ['A', 'B', 'C', null],
} as const;

type Members = {
  readonly notes: readonly { readonly id: string }[];
  readonly files: readonly { readonly id: string }[];
};

/** What a history did to the site beside the runs. */
interface Told {
  kills: number;
  made: number;
}

const found = (w: Harness, id: string): Members | undefined =>
  w.site.events.find((one) => one['id'] === id) as Members | undefined;

const play = async (w: Harness, told: Told, one: Step): Promise<void> => {
  if (one.kind === 'run') return void (await w.run({ include_attachments: true, force_run_since_start: one.forced }));
  if (one.kind === 'killed') {
    const end = await w.run({ include_attachments: true }, createLife(one.at, one.after));
    told.kills += end === 'killed' ? 1 : 0;
    return;
  }
  const id = `e${one.event}`;
  const present = found(w, id);
  told.made += 1;
  const fresh = { id: `n${told.made}`, text: `note ${told.made}`, extra: null };
  if (one.kind === 'create') {
    if (present) return;
    const notes = Array.from({ length: one.notes }, (_, n) => ({ id: `first-${told.made}-${n}`, text: 'x' }));
    return w.write(id, { notes });
  }
  if (!present) return;
  if (one.kind === 'set') return w.write(id, { [one.member]: values[one.member][one.to] });
  if (one.kind === 'note') return w.write(id, { notes: [...present.notes, fresh] });
  if (one.kind === 'touch') return w.write(id);
  const url = `/files/${fresh.id}.jpg`;
  w.site.files[url] = Buffer.from(fresh.id);
  w.write(id, { files: [...present.files, { id: fresh.id, url, filename: `${fresh.id}.jpg` }] });
};

const count = (list: readonly string[], what: string): number => list.filter((one) => one === what).length;

/** What the platform has of an event: all its objects, and what was said and attached to the one that counts, the last. */
const platformView = (w: Harness, id: string) => {
  const stored = w.platform.ofEvent(id);
  const { item = {}, changes = [], files = [] } = stored.at(-1) ?? {};
  return {
    stored,
    notes: changes
      .flatMap((change) => (change['notes'] as { id: string }[] | undefined) ?? [])
      .map(({ id: note }) => note),
    files: files.map(({ name }) => name),
    said: (member: string): unknown[] =>
      [item, ...changes].flatMap((said) => (Object.hasOwn(said, member) ? [said[member]] : [])),
  };
};

/** At most one more for each kill: what was answered when the process died is not known to the next. */
testProp(
  'whatever happens at the site and whenever runs are killed, each event exists once, notes and files arrive once, the last state stands',
  [fc.array(step, { minLength: 5, maxLength: 40, size: 'max' })],
  async (t, steps) => {
    const w = harness();
    const told: Told = { kills: 0, made: 0 };
    for (const one of [...steps, { kind: 'run', forced: false } as const]) await play(w, told, one);
    const again = JSON.stringify(w.platform.stored);
    await w.run({ include_attachments: true, force_run_since_start: true });
    t.is(JSON.stringify(w.platform.stored), again, 'a run without changes writes nothing');

    for (const row of w.site.events) {
      const id = String(row['id']);
      const view = platformView(w, id);
      t.true(view.stored.length >= 1 && view.stored.length <= 1 + told.kills, `${id} exists`);
      if (told.kills === 0) t.is(view.stored.length, 1);
      for (const { id: note } of (row as unknown as Members).notes) {
        const times = count(view.notes, note);
        t.true(times >= 1 && times <= 1 + told.kills, `${id} note ${note} came ${times} times`);
      }
      for (const { id: file } of (row as unknown as Members).files) {
        const times = count(view.files, `${file}.jpg`);
        t.true(times >= 1 && times <= 1 + told.kills, `${id} file ${file} came ${times} times`);
      }
      for (const [member, as] of [
        ['state', 'status'],
        ['priority', 'priority'],
        ['title', 'title'],
      ] as const) {
        const said = view.said(as);
        const record = w.kept(id);
        if (row[member] !== null) t.is(record?.[member], row[member], `${id} ${member} is known`);
        // A run was killed around a change, or the site never had a value.
        if (record?.[member] !== null) t.is(said.at(-1), record?.[member], `${id} ${member} stands at the platform`);
        const repeated = said.filter((value, index) => index > 0 && value === said[index - 1]).length;
        t.true(repeated <= told.kills, `${id} ${member} is not written without a change`);
      }
    }
  },
  { numRuns: 300 },
);

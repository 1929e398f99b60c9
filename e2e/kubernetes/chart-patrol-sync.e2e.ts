import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { leastFile, valuesOf } from './charts/least.ts';
import type { KubeObject } from './charts/objects.ts';
import { at } from './charts/place.ts';
import { chartsFolder, mustRender, renderChart } from './charts/render.ts';
import { type Schema, schemaAt } from './charts/schema.ts';
import { openTools } from './harness/node.ts';

let node: Awaited<ReturnType<typeof openTools>>;
test.before(async (t) => {
  node = await openTools(t);
});

type Paths = Readonly<Record<string, unknown>>;

const problemWith = async (paths: Paths, files = [leastFile]): Promise<string> => {
  const rendering = await renderChart(node.env, 'patrol-sync', { files, values: valuesOf(paths) });
  return rendering.ok ? '' : rendering.problem;
};

for (const [what, values, sentence] of [
  ['no site', { 'site.endpoint': '' }, 'site.endpoint is not set'],
  ['two bundles', { 'bundle.configMap': 'x', 'bundle.claim.path': '' }, 'are both set'],
  ['no bundle', { 'bundle.claim.name': '', 'bundle.claim.path': '' }, 'the bundle is not set'],
  ['a folder without its volume', { 'bundle.claim.name': '', 'bundle.configMap': 'x' }, 'bundle.claim.name is not'],
  ['no volume for records', { 'output.claim.create': false }, 'set output.claim.name to the claim to use'],
  [
    'a plan in place of the checklist of a plan',
    { 'output.plan': 'plan-checklist.md' },
    'output.plan is plan-checklist.md, which is also a checklist (output.checklist is checklist.md)',
  ],
  [
    'a checklist in place of the plan',
    { 'output.checklist': 'plan.json' },
    'output.plan is plan.json, which is also a checklist (output.checklist is plan.json); give each a name of its own',
  ],
  ['one claim for both', { 'output.claim.name': 'bundles' }, 'set output.claim.create to false'],
  ['a name that is too long', { fullnameOverride: 'x'.repeat(50) }, 'too long for the names of CronJobs'],
  ['a variable twice', { extraEnv: [{ name: 'SUMMARY_FILE', value: '/tmp/x' }] }, 'extraEnv gives SUMMARY_FILE, which'],
] as const)
  test.serial(`is refused with one sentence: ${what}`, async (t) => {
    const problem = await problemWith(values);
    t.true(problem.includes(sentence), problem);
    t.is(problem.split('\n').length, 1, problem);
  });

test.serial('is refused with one sentence: no token', async (t) => {
  const problem = await problemWith({ 'site.endpoint': 'site.example', 'bundle.configMap': 'x' }, []);
  t.true(problem.includes('site.token is not set'), problem);
});

test.serial(
  'what the schema does not know is refused: a schedule, a token in the clear, no limit of memory',
  async (t) => {
    for (const [values, words] of [
      [{ schedule: '@daily' }, "additional properties 'schedule' not allowed"],
      [{ 'options.siteToken': 'x' }, "'/options': additional properties 'siteToken' not allowed"],
      [{ 'resources.limits.memory': null }, "'/resources/limits': missing property 'memory'"],
      [{ 'site.token': { name: 'x', key: null } }, "'/site/token/key': got null"],
      [{ 'output.folder': '../x' }, "'/output/folder': '../x' does not match"],
      [{ 'options.approved': 'x' }, "'/options/approved': 'x' does not match"],
    ] as const) {
      const problem = await problemWith(values);
      t.true(problem.includes(words), problem);
    }
  },
);

/** An option of a command, as `sync-tool completion json` tells it. */
interface ToolOption {
  readonly option: string;
  readonly name: string;
  readonly takes: string | { readonly words?: readonly string[]; readonly min?: number; readonly max?: number };
}

const tool = JSON.parse(readFileSync(new URL('../../cli/sync-tool/options.json', import.meta.url), 'utf8')) as {
  words: string[];
  options: ToolOption[];
}[];

/** Options that a CronJob does not pass, by the end of its name, and why. */
const withheld: readonly (readonly [suffix: RegExp, option: string, why: string])[] = [
  [/./, '--site-token', 'a token does not stand in the arguments of a pod'],
  [/./, '--config', 'everything that the file may say has a value, but for a name in messages'],
  [/./, '--modernize-form', 'a person rewrites a form of an older site once, by hand'],
  [/^patrol-sync$/, '--plan-out', 'a run makes no plan'],
  [/-resume$/, '--plan', 'a record names the plan of its run'],
  [/-plan$/, '--force-unlock', 'it writes nothing to the site'],
];

const container = 'spec.jobTemplate.spec.template.spec.containers[0]';

interface Command {
  readonly name: string;
  readonly args: readonly string[];
  readonly object: KubeObject;
}

/** The CronJobs with every option set. */
const commandsWithAll = async (): Promise<readonly Command[]> => {
  const input = { files: ['ci/everything-values.yaml'], release: 'patrol-sync' };
  const { objects } = await mustRender(renderChart(node.env, 'patrol-sync', input));
  return objects
    .filter(({ kind }) => kind === 'CronJob')
    .map((object) => ({ name: object.metadata.name, args: at(object, `${container}.args`) as string[], object }));
};

test.serial('each CronJob passes every option that its command has', async (t) => {
  const commands = await commandsWithAll();
  t.is(commands.length, 10);
  for (const { name, args } of commands) {
    const words = args.slice(2).filter((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith('--'));
    const { options = [] } = tool.find((command) => command.words.join() === words.join()) ?? {};
    t.true(words[0] === 'files' || options.length > 0, words.join());
    const known = options.map(({ option }) => option);
    const held = new Set(withheld.filter(([suffix]) => suffix.test(name)).map(([, option]) => option));
    const passed = args.slice(2).flatMap((arg) => /^--[a-z-]+/.exec(arg)?.[0] ?? []);
    const wanted = known.filter((option) => !held.has(option));
    t.deepEqual([...new Set(passed)].filter((option) => option !== '--dry-run').toSorted(), wanted.toSorted(), name);
  }
});

test.serial(
  'what changes nothing on the site is a dry run or reads alone, and no argument holds a token',
  async (t) => {
    for (const { name, args, object } of await commandsWithAll()) {
      t.false(args.some((arg) => /^--site-token(?:=|$)/.test(arg)));
      if (name.endsWith('-plan')) t.is(args[2], '--dry-run');
      if (/-(?:undo-plan|show|files)$/.test(name))
        t.is(at(object, `${container}.volumeMounts[name=output].readOnly`), true, name);
      t.regex(object.metadata.annotations?.['ranger-relay/about'] ?? '', /^A Job made of it [a-z].*[^.]$/);
    }
  },
);

test.serial('the schema takes the words and the bounds that the tool takes', (t) => {
  const schema = JSON.parse(readFileSync(join(chartsFolder, 'patrol-sync/values.schema.json'), 'utf8')) as Schema;
  const compared = tool.slice(1, 7).flatMap(({ options }) =>
    options.flatMap(({ name, takes }) => {
      const is = schemaAt(schema, ['options', name]);
      if (is === undefined || typeof takes === 'string') return [];
      if (takes.words) t.deepEqual(is.items?.enum ?? is.enum, takes.words, name);
      if (takes.max !== undefined) t.like(is, { minimum: takes.min, maximum: takes.max }, name);
      return [name];
    }),
  );
  t.true(new Set(compared).size >= 5);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { conditionList } from '@ranger-relay/runtime';
import { shellLines } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { readRuleGroups } from './metrics/rules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'k8s/runbooks');
const alerts = readRuleGroups(root).flatMap(({ rules }) => rules);
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const pageOf = (name) => readFileSync(join(folder, name), 'utf8');

test('every alert has its page, and no page is left over', (t) => {
  const names = new Set(alerts.map(({ alert }) => `${alert}.md`));
  t.deepEqual(pages.toSorted(), [...names].sort());
});

test('every condition has its page', (t) => {
  for (const [name, { runbook }] of Object.entries(conditionList)) t.true(pages.includes(`${runbook}.md`), name);
});

test('every page answers the same questions in the same order', (t) => {
  for (const page of pages) {
    const headings = [...pageOf(page).matchAll(/^#+ .*$/gm)].map(([line]) => line);
    t.deepEqual(
      headings,
      [
        `# ${page.replace('.md', '')}`,
        ...['Meaning', 'Impact', 'Is anyone in danger?', 'Diagnosis', 'Mitigation'].map((each) => `## ${each}`),
      ],
      page,
    );
  }
});

test('the question of danger is answered first of all with a word', (t) => {
  for (const page of pages)
    t.regex(pageOf(page), /## Is anyone in danger\?\n\n\*\*(Yes|Maybe|No|Not yet)\b[^*]*\*\*/, page);
});

test('nobody is in danger where an alert only warns, as far as its page knows', (t) => {
  const warnings = alerts.filter(({ labels }) => labels.severity === 'warning');
  for (const { alert } of warnings) t.notRegex(pageOf(`${alert}.md`), /in danger\?\n\n\*\*Yes/, alert);
});

test('a page is short', (t) => {
  for (const page of pages) t.true(pageOf(page).split('\n').length <= 75, page);
});

test('what a page tells to type is one of few programs, in a block of its own', (t) => {
  for (const page of pages)
    for (const line of shellLines(pageOf(page))) t.regex(line, /^(ranger-relay|kubectl|helm) /, `${page}: ${line}`);
});

test('links between pages lead somewhere', (t) => {
  for (const page of [...pages, 'README.md'])
    for (const [, target] of pageOf(page).matchAll(/\]\((?!http)([^)#]+)/g))
      t.true(existsSync(join(folder, target)), `${page}: ${target}`);
});

import { createHash } from 'node:crypto';
import test from 'ava';
import { overview } from '../test/harness.ts';
import { pagePolicy as policy, renderPage } from './page.ts';
import { partsOf } from './parts.ts';
import { script } from './script.ts';

const view = {
  overview: overview(),
  flow: { posts: 1, stored: 1, duplicates: 0 },
  activity: [],
  simulated: [],
  now: Date.UTC(2026, 0, 1, 12),
  settings: [],
};
const html = String(await renderPage('ranger-relay', partsOf(view)));
const between = (tag: string): string[] =>
  [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) => inner);
const sha = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('the policy allows this one script and these styles by their hash, and nothing else', (t) => {
  const [only, ...moreScripts] = between('script');
  const [styles, ...moreStyles] = between('style');
  t.deepEqual([moreScripts, moreStyles], [[], []]);
  const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
  t.deepEqual(rules['default-src'], ["'none'"]);
  t.deepEqual(rules['script-src'], [sha(only ?? '')]);
  t.deepEqual(rules['style-src'], [sha(styles ?? '')]);
  t.deepEqual(rules['connect-src'], ["'self'"]);
  t.deepEqual(rules['frame-ancestors'], ["'none'"]);
  t.notRegex(policy, /unsafe|\*/);
});

test('nothing is loaded from elsewhere', (t) => {
  t.notRegex(html, /https?:|\/\/[a-z]|@import|url\(|<link(?! rel="icon" href="data:,")/i);
});

test('there are no inline handlers or styles, which the policy would refuse', (t) => {
  const markup = html.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '');
  t.notRegex(markup, /\son\w+\s*=/i);
  t.notRegex(markup, /\sstyle\s*=/i);
  t.notRegex(markup, /javascript:/i);
});

test('the script makes no code of what it is told', (t) => {
  t.notRegex(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|\.style\b/);
});

test('the script cannot end its own element', (t) => {
  t.notRegex(script, /<\/script|<!--/i);
});

test('the script only reads from this server', (t) => {
  t.regex(script, /fetch\('\/parts',/);
  t.is([...script.matchAll(/fetch\(/g)].length, 1);
});

test('it fits a phone and follows the light of the device', (t) => {
  t.regex(html, /name="viewport" content="width=device-width/);
  t.regex(html, /prefers-color-scheme: dark/);
  t.regex(html, /lang="en"/);
});

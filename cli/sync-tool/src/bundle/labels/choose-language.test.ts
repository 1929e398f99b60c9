import { isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { Language } from '../model.ts';
import { chooseLanguage } from './label.ts';

const language = (code: string, coverage: number, isDefault = false): Language => ({
  code,
  name: code,
  isDefault,
  labelled: coverage * 100,
  total: 100,
  coverage,
});

const languages = [
  language('en', 1, true),
  language('es_MX', 0.4792),
  language('zh-Hans', 1),
  language('zh_hans', 1),
  language('fr', 0),
  language('id', 1),
];

const messageFor = (t: ExecutionContext, wanted: string): string => {
  const error = t.throws(() => chooseLanguage(languages, wanted));
  t.true(isRelayError(error, 'language_unknown'));
  return error?.message ?? '';
};

test('a language with all labels is chosen without notes', (t) => {
  t.deepEqual(chooseLanguage(languages, 'en'), { language: 'en', infos: [], warnings: [] });
});

for (const [wanted, code] of [
  ['es_MX', 'es_MX'],
  ['ES-mx', 'es_MX'],
  ['zh_hans', 'zh_hans'],
  ['zh-Hans', 'zh-Hans'],
  [' en ', 'en'],
] as const)
  test(`"${wanted}" is ${code}`, (t) => {
    t.is(chooseLanguage(languages, wanted).language, code);
  });

test('a code that no language has is refused with all codes and their coverage', (t) => {
  const message = messageFor(t, 'de');
  t.is(
    message,
    'The bundle has no language "de"; choose one of en (100 %), es_MX (47 %), zh-Hans (100 %), zh_hans (100 %), fr (0 %), id (100 %)',
  );
  t.regex(messageFor(t, ''), /has no language ""/);
});

test('a part of a code is not the code', (t) => {
  t.regex(messageFor(t, 'es'), /has no language "es"/);
});

test('a code that fits two languages alike is refused', (t) => {
  t.regex(messageFor(t, 'ZH-HANS'), /has more than one language "ZH-HANS"/);
});

test('codes that were renamed are hinted at, and never taken for each other', (t) => {
  t.regex(messageFor(t, 'in'), /; in and id are the same language, id is there$/);
  const old = t.throws(() => chooseLanguage([language('iw', 1, true)], 'he_IL'));
  t.regex(old?.message ?? '', /; he and iw are the same language, iw is there$/);
});

test('missing labels are an information, no labels at all a warning that names where there are some', (t) => {
  const some = chooseLanguage(languages, 'es_MX');
  t.regex(some.infos.join(), /^47 % of the labels are there in "es_MX"/);
  t.deepEqual(some.warnings, []);
  const none = chooseLanguage(languages, 'fr');
  t.deepEqual(none.infos, []);
  t.regex(none.warnings.join(), /^there are no labels in "fr"; there are labels in en \(100 %\), es_MX \(47 %\)/);
  t.regex(chooseLanguage([language('fr', 0, true)], 'fr').warnings.join(), /no language has any/);
});

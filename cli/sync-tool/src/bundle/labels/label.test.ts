import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { Language } from '../model.ts';
import { cutText, labelFor, labelOf, languageOrder } from './label.ts';

const language = (code: string, isDefault = false): Language => ({
  code,
  name: code,
  isDefault,
  labelled: 1,
  total: 1,
  coverage: 1,
});

const languages = [language('es'), language('fr'), language('en', true), language('sw')];
const order = languageOrder(languages, 'fr');
const names = (labels: Record<string, string>) => new Map(Object.entries(labels));

test('labels are looked for in the chosen language, the default, then the others as in the manifest', (t) => {
  t.deepEqual(order, ['fr', 'en', 'es', 'sw']);
  t.deepEqual(languageOrder(languages, 'en'), ['en', 'es', 'fr', 'sw']);
});

for (const [what, labels, expected] of [
  ['the chosen language', { es: 'E', en: 'N', fr: 'F' }, 'F'],
  ['else the default', { es: 'E', en: 'N', xx: 'X' }, 'N'],
  ['else the first other of the manifest', { sw: 'S', es: 'E', aa: 'A' }, 'E'],
  ['else a code that is not listed', { xx: 'X' }, 'X'],
  ['of several codes not listed the first by name', { zz: 'Z', xx: 'X' }, 'X'],
  ['else the fallback', {}, 'key'],
  ['a blank label is none', { fr: ' \n ', en: 'N' }, 'N'],
  ['one of characters without width is none', { fr: '\u200B\uFEFF\u2060\u3164', en: 'N' }, 'N'],
] as const)
  test(`a label comes from ${what}`, (t) => {
    t.is(labelOf(names(labels), order, 'key', 100), expected);
  });

test('a label without meaning is kept', (t) => {
  for (const label of ['n/a', 'New Station']) t.is(labelOf(names({ fr: label }), order, 'key', 100), label);
});

test('labels are trimmed, composed and on one line', (t) => {
  t.is(labelOf(names({ fr: '  Poste\r\n\tu\u0308ber\u0000 ' }), order, 'key', 100), 'Poste über');
  t.is(labelOf(names({}), order, ' a\nb ', 100), 'a b');
});

test('joiners inside a name stay', (t) => {
  for (const label of ['می\u200Cخواهم', '👩\u200D🚒']) t.is(labelOf(names({ fr: label }), order, '', 100), label);
});

test('the fallback may be nothing', (t) => {
  t.is(labelOf(names({ fr: ' ' }), order, '', 100), '');
});

test('right-to-left text and markup stay as they are', (t) => {
  for (const label of ['مركز الحراسة', '<script>|`x`|</script>'])
    t.is(labelOf(names({ fr: label }), order, '', 100), label);
});

for (const [what, text, limit, expected] of [
  ['that fits', 'abcde', 5, 'abcde'],
  ['that is one too long', 'abcdef', 5, 'abcd…'],
  ['of two code units a character that fits', '𝒜𝒜𝒜', 3, '𝒜𝒜𝒜'],
  ['with an emoji at the edge', `abc${'👩🏽‍🚒'}`, 5, 'abc…'],
  ['with combining marks at the edge', `abce\u0323\u0301`, 5, 'abc…'],
  ['that would end in a blank', 'abc def', 5, 'abc…'],
  ['whose first character is too long already', `e${'\u0301'.repeat(9)}`, 5, '…'],
] as const)
  test(`a text ${what} is cut to "${expected}"`, (t) => {
    t.is(cutText(text, limit), expected);
  });

testProp(
  'whatever the label, it is at most as long as the limit and ends where a character ends',
  [fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 1, max: 120 })],
  (t, label, limit) => {
    const shown = labelFor({ format: 'own', languages }, 'fr')(names({ fr: label }), 'key', limit);
    t.true([...shown].length <= limit);
    t.true(shown.isWellFormed());
    const kept = shown.endsWith('…') ? shown.slice(0, -1) : shown;
    const whole =
      label.trim() === ''
        ? ''
        : label
            .normalize('NFC')
            .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
            .trim();
    t.true(whole === '' || whole.startsWith(kept));
  },
);

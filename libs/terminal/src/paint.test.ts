import { stripVTControlCharacters } from 'node:util';
import test from 'ava';
import { createPaint, wantsColour } from './paint.ts';

test('without colours every style gives the text back unchanged', (t) => {
  const paint = createPaint(false);
  for (const style of Object.values(paint)) t.is(style('SOS'), 'SOS');
});

test('with colours every style marks the text and ends its mark', (t) => {
  const paint = createPaint(true);
  t.is(paint.red('SOS'), '\u001B[31mSOS\u001B[39m');
  for (const style of Object.values(paint)) {
    t.is(stripVTControlCharacters(style('SOS')), 'SOS');
    t.true(style('SOS').startsWith('\u001B[') && style('SOS').endsWith('m'));
  }
});

test('an empty text stays empty, so that no bare escape codes are printed', (t) => {
  t.is(createPaint(true).bold(''), '');
});

test('colours are used on a terminal alone', (t) => {
  t.true(wantsColour({}, true));
  t.false(wantsColour({}, false));
});

test('NO_COLOR with any value, and a dumb terminal, turn colours off; an empty NO_COLOR does not', (t) => {
  t.false(wantsColour({ NO_COLOR: '1' }, true));
  t.false(wantsColour({ NO_COLOR: '0' }, true));
  t.true(wantsColour({ NO_COLOR: '' }, true));
  t.false(wantsColour({ TERM: 'dumb' }, true));
});

import test from 'ava';
import { shellLines, shellWords } from './index.ts';

test('the lines of shell blocks are commands, of other blocks they are not', (t) => {
  const text = '# A\n\n```sh\n# a remark\na one \\\n  two\n\nb\n```\n\n```json\n{}\n```\n\n```sh\nc\n```\n';
  t.deepEqual(shellLines(text), ['a one two', 'b', 'c']);
});

test('quotes keep words together', (t) => {
  t.deepEqual(shellWords(`a -p '{"b": "c d"}' --e="f g" "h i"`), ['a', '-p', '{"b": "c d"}', '--e="f g', 'h i']);
});

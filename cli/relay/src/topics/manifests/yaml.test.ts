import test from 'ava';
import { yamlDocuments, yamlOf } from './yaml.ts';

test('lists, objects and what is empty are nested as YAML wants it', (t) => {
  t.deepEqual(yamlOf({ a: 1, b: ['x', { c: true, d: [] }], e: {} }), [
    'a: 1',
    'b:',
    '  - x',
    '  - c: true',
    '    d: []',
    'e: {}',
  ]);
});

test('texts that YAML would read as something else are quoted', (t) => {
  for (const text of ['true', 'No', 'null', '~', '1', '1.5', '', 'a: b', '<a>', '#a', '-a', 'a\nb', 'y', '*'])
    t.deepEqual(yamlOf([text]), [`- ${JSON.stringify(text)}`], text);
  t.deepEqual(yamlOf(['kafka.strimzi.io/v1', 'scram-sha-512']), ['- kafka.strimzi.io/v1', '- scram-sha-512']);
});

test('each document begins with its mark', (t) => {
  t.deepEqual(yamlDocuments([{ a: 1 }, { b: 2 }]), ['---', 'a: 1', '---', 'b: 2']);
});

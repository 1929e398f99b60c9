import test from 'ava';
import { integrationArgument } from './options.ts';

test('an integration is the same one in either spelling of its id', (t) => {
  const id = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
  t.is(integrationArgument(id.toUpperCase()), id);
  t.is(integrationArgument('Park-A'), 'Park-A');
  t.is(integrationArgument('North park'), 'North park');
  for (const text of ['', 'a\nb', 'x'.repeat(201)]) t.throws(() => integrationArgument(text));
});

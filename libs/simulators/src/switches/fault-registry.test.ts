import test from 'ava';
import { createSwitchBoard } from './fault-registry.ts';

const place = { endpoint: 'observations', sensors: true, integration: 'a' };

test('without switches nothing is in the way', (t) => {
  t.deepEqual(createSwitchBoard().take(place), { delayMs: 0, terminal: undefined });
});

test('a counted switch strikes exactly so often', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'reset', count: 2 });
  t.truthy(registry.take(place).terminal);
  t.is(registry.list()[0]?.used, 1);
  t.truthy(registry.take(place).terminal);
  t.is(registry.take(place).terminal, undefined);
  t.deepEqual(registry.list(), []);
});

test('a switch without a count strikes until it is cleared', (t) => {
  const registry = createSwitchBoard();
  const id = registry.set({ fault: 'hang' });
  for (let n = 0; n < 10; n += 1) t.is(registry.take(place).terminal?.fault, 'hang');
  registry.clear(id);
  t.is(registry.take(place).terminal, undefined);
});

test('a switch for one integration or endpoint leaves the others alone', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'status', status: 500, integration: 'b' });
  registry.set({ fault: 'status', status: 503, endpoint: 'messages' });
  t.is(registry.take(place).terminal, undefined);
  t.is((registry.take({ ...place, integration: 'b' }).terminal as { status: number }).status, 500);
  t.is((registry.take({ ...place, endpoint: 'messages' }).terminal as { status: number }).status, 503);
});

test('the endpoint `sensors` covers whatever takes items, and nothing else', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'hang', endpoint: 'sensors' });
  t.truthy(registry.take(place).terminal);
  t.is(registry.take({ endpoint: 'token' }).terminal, undefined);
});

test('slowness adds to whatever else strikes', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'slow', ms: 100 });
  registry.set({ fault: 'slow', ms: 50 });
  registry.set({ fault: 'reset' });
  const { delayMs, terminal } = registry.take(place);
  t.is(delayMs, 150);
  t.is(terminal?.fault, 'reset');
});

test('one request uses up one fault, not all that would fit', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'status', status: 500, count: 1 });
  registry.set({ fault: 'status', status: 429, count: 1 });
  const statuses = [1, 2, 3].map(() => registry.take(place).terminal as { status?: number } | undefined);
  t.deepEqual(
    statuses.map((fault) => fault?.status),
    [500, 429, undefined],
  );
});

test('items are refused by a value deep inside', (t) => {
  const registry = createSwitchBoard();
  registry.set({ fault: 'refuse_item', field: 'additional.message_code', equals: 4 });
  t.true(registry.refuses(place, { additional: { message_code: 4 } }));
  t.false(registry.refuses(place, { additional: { message_code: 0 } }));
  t.false(registry.refuses(place, 'no object'));
  t.is(registry.take(place).terminal, undefined);
});

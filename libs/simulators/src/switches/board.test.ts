import test from 'ava';
import { createSwitchBoard } from './board.ts';

const place = { endpoint: 'observations', sensors: true, integration: 'a' };

test('without switches nothing is in the way', (t) => {
  t.deepEqual(createSwitchBoard().take(place), { delayMs: 0, terminal: undefined });
});

test('a counted switch strikes exactly so often', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'reset', count: 2 });
  t.truthy(board.take(place).terminal);
  t.is(board.list()[0]?.used, 1);
  t.truthy(board.take(place).terminal);
  t.is(board.take(place).terminal, undefined);
  t.deepEqual(board.list(), []);
});

test('a switch without a count strikes until it is cleared', (t) => {
  const board = createSwitchBoard();
  const id = board.set({ fault: 'hang' });
  for (let n = 0; n < 10; n += 1) t.is(board.take(place).terminal?.fault, 'hang');
  board.clear(id);
  t.is(board.take(place).terminal, undefined);
});

test('a switch for one integration or endpoint leaves the others alone', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'status', status: 500, integration: 'b' });
  board.set({ fault: 'status', status: 503, endpoint: 'messages' });
  t.is(board.take(place).terminal, undefined);
  t.is((board.take({ ...place, integration: 'b' }).terminal as { status: number }).status, 500);
  t.is((board.take({ ...place, endpoint: 'messages' }).terminal as { status: number }).status, 503);
});

test('the endpoint `sensors` covers whatever takes items, and nothing else', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'hang', endpoint: 'sensors' });
  t.truthy(board.take(place).terminal);
  t.is(board.take({ endpoint: 'token' }).terminal, undefined);
});

test('slowness adds to whatever else strikes', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'slow', ms: 100 });
  board.set({ fault: 'slow', ms: 50 });
  board.set({ fault: 'reset' });
  const { delayMs, terminal } = board.take(place);
  t.is(delayMs, 150);
  t.is(terminal?.fault, 'reset');
});

test('one request uses up one fault, not all that would fit', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'status', status: 500, count: 1 });
  board.set({ fault: 'status', status: 429, count: 1 });
  const statuses = [1, 2, 3].map(() => board.take(place).terminal as { status?: number } | undefined);
  t.deepEqual(
    statuses.map((fault) => fault?.status),
    [500, 429, undefined],
  );
});

test('the nth item is refused, once', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'refuse_item', nth: 3 });
  t.deepEqual(
    [1, 2, 3, 4, 5].map((n) => board.refuses(place, { n })),
    [false, false, true, false, false],
  );
});

test('items are refused by a value deep inside', (t) => {
  const board = createSwitchBoard();
  board.set({ fault: 'refuse_item', field: 'additional.message_code', equals: 4 });
  t.true(board.refuses(place, { additional: { message_code: 4 } }));
  t.false(board.refuses(place, { additional: { message_code: 0 } }));
  t.false(board.refuses(place, 'no object'));
  t.is(board.take(place).terminal, undefined);
});

import test from 'ava';
import { listLimit, readEvent, type DeviceEvent } from './payload.ts';
import { imei, wire } from './test/events.ts';

const read = (parts: Record<string, unknown>): DeviceEvent => {
  const event = readEvent(wire(parts));
  if (typeof event === 'string') throw new Error(event);
  return event;
};

for (const value of [null, undefined, 5, 'text', [], true])
  test(`${JSON.stringify(value)} is not an event`, (t) => {
    t.is(readEvent(value), 'not_an_object');
  });

for (const value of [undefined, null, '', '  ', ',', {}, [], true, 1.5, -3, 1e300, 'x'.repeat(65)])
  test(`${JSON.stringify(value)?.slice(0, 30)} is no imei`, (t) => {
    t.is(readEvent(wire({ imei: value })), 'missing_imei');
  });

for (const value of [undefined, null, '', 'three', 1.5, {}, [], true, 1e300, '0x3'])
  test(`${JSON.stringify(value)} is no message code`, (t) => {
    t.is(readEvent(wire({ messageCode: value })), 'missing_message_code');
  });

test('an imei may be a number or a text with blanks around', (t) => {
  t.is(read({ imei: 300434030000000 }).source, imei);
  t.is(read({ imei: ` ${imei} ` }).source, imei);
});

test('of a joined list the first imei is the source and all are kept', (t) => {
  t.like(read({ imei: `${imei}, 300434030000001` }), { source: imei, imeis: [imei, '300434030000001'] });
  t.like(read({ imei: `${imei},` }), { source: imei, imeis: null });
  t.is(read({ imei }).imeis, null);
});

test('a joined list is bounded', (t) => {
  t.true((read({ imei: Array.from({ length: 5_000 }, () => imei).join(',') }).imeis?.length ?? 0) <= listLimit);
});

test('a message code may be digits', (t) => {
  t.is(read({ messageCode: '3' }).messageCode, 3);
  t.is(read({ messageCode: ' 14 ' }).messageCode, 14);
});

test('null members, missing members and an event of identity alone read alike', (t) => {
  const members = ['freeText', 'timeStamp', 'addresses', 'point', 'status', 'payload', 'transportMode'];
  const nulls = read(Object.fromEntries(members.map((name) => [name, null])));
  const missing = read(Object.fromEntries(members.map((name) => [name, undefined])));
  t.deepEqual({ ...nulls, timeStamp: undefined }, missing);
  t.like(missing, { freeText: '', payload: '', point: null, transportMode: null });
  t.deepEqual(missing.status, { autonomous: null, lowBattery: null, intervalChange: null, resetDetected: null });
});

test('members of a point and a status are numbers or nothing, and what else they hold is told', (t) => {
  const point = { latitude: '1.5', longitude: Infinity, altitude: null, gpsFix: ' 2 ', course: 'north', speed: true };
  const read = readEvent(wire({ point, status: { lowBattery: '1', autonomous: 'yes', resetDetected: '' } }));
  t.like(read, {
    point: { latitude: 1.5, longitude: null, unreadable: false, altitude: null, gpsFix: 2, course: null, speed: null },
    status: { lowBattery: 1, autonomous: null, intervalChange: null, resetDetected: null },
    unread: ['course', 'speed', 'autonomous', 'resetDetected'],
  });
});

test('a coordinate that is no number is told from one that is missing', (t) => {
  for (const latitude of ['abc', '', true, {}, '0x10'])
    t.like(read({ point: { latitude, longitude: 2 } }).point, { latitude: null, unreadable: true });
  for (const latitude of [null, undefined])
    t.like(read({ point: { latitude, longitude: 2 } }).point, { latitude: null, unreadable: false });
  for (const point of ['here', [], 5]) t.like(read({ point }).point, { latitude: null, unreadable: true });
});

test('a member of the wrong kind counts as missing and is told', (t) => {
  const { unread } = read({ freeText: {}, addresses: 'x', status: 'x', transportMode: [], payload: null });
  t.deepEqual(unread, ['freeText', 'addresses', 'status', 'transportMode']);
  t.deepEqual(read({}).unread, []);
});

test('addresses are read from objects and plain values; empty ones fall away, many are cut', (t) => {
  t.deepEqual(
    read({ addresses: [{ address: '+254700000000' }, { address: '24' }, 24, null, {}, { address: '' }] }).addresses,
    ['+254700000000', '24', '24'],
  );
  t.deepEqual(read({ addresses: 'x' }).addresses, []);
  t.is(read({ addresses: Array.from({ length: 5_000 }, () => ({ address: 'a' })) }).addresses.length, listLimit);
});

test('a text is never cut and never null', (t) => {
  const long = 'ä'.repeat(100_000);
  t.is(read({ freeText: long }).freeText, long);
  t.is(read({ freeText: 42 }).freeText, '42');
  t.is(read({ freeText: { nested: true } }).freeText, '');
});

test('members that fill a prototype are nobody’s members', (t) => {
  const event = readEvent(JSON.parse('{"__proto__":{"imei":"1","messageCode":4},"constructor":{},"toString":1}'));
  t.is(event, 'missing_imei');
  t.is(({} as Record<string, unknown>)['imei'], undefined);
});

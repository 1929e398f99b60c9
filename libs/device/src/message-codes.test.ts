import test from 'ava';
import { factsOf } from './message-codes.ts';

const names: readonly (readonly [number, string])[] = [
  [0, 'position_report'],
  [1, 'reserved'],
  [2, 'locate_response'],
  [3, 'free_text'],
  [4, 'sos_declare'],
  [5, 'reserved'],
  [6, 'sos_confirm'],
  [7, 'sos_cancel'],
  [8, 'reference_point'],
  [9, 'check_in'],
  [10, 'start_track'],
  [11, 'track_interval'],
  [12, 'stop_track'],
  [13, 'unknown_index'],
  [14, 'puck_message_1'],
  [15, 'puck_message_2'],
  [16, 'puck_message_3'],
  [17, 'map_share'],
  [20, 'mail_check'],
  [21, 'am_i_alive'],
  [24, 'predefined_message'],
  [63, 'predefined_message'],
  [64, 'encrypted_binary'],
  [65, 'pingback_response'],
  [66, 'generic_binary'],
  [67, 'encrypted_pinpoint'],
  [68, 'encryption_negotiation'],
  [69, 'encryption_nack'],
  [3099, 'canned_message'],
  [18, 'unknown'],
  [23, 'unknown'],
  [70, 'unknown'],
  [-1, 'unknown'],
];

for (const [code, name] of names)
  test(`code ${code} is called ${name}`, (t) => {
    t.is(factsOf(code).name, name);
  });

test('exactly the three SOS codes carry an SOS state', (t) => {
  const marked = Array.from({ length: 4_000 }, (_, code) => [code, factsOf(code).sos] as const).filter(
    ([, sos]) => sos,
  );
  t.deepEqual(marked, [
    [4, 'declared'],
    [6, 'confirmed'],
    [7, 'cancelled'],
  ]);
});

test('only code 8 is a reference point, and only 20 and 21 send 0,0 without being there', (t) => {
  const codes = Array.from({ length: 4_000 }, (_, code) => code);
  t.deepEqual(
    codes.filter((code) => factsOf(code).referencePoint),
    [8],
  );
  t.deepEqual(
    codes.filter((code) => factsOf(code).zeroIsNoFix),
    [20, 21],
  );
});

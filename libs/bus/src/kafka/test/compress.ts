import { fc } from '@fast-check/ava';

/** One step of a compressed text: bytes as they are, or a copy of what came `back` bytes before. */
export type Step = { readonly literal: Uint8Array } | { readonly back: number; readonly length: number };

const anyStep = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 90 }).map((literal) => ({ literal })),
  fc.record({ back: fc.integer({ min: 1, max: 70_000 }), length: fc.integer({ min: 4, max: 64 }) }),
);

/** Any steps of which each copy reaches into what is there; now and then a literal is long. */
export const anySteps = fc
  .tuple(fc.array(anyStep, { minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 70_000 }))
  .map(([steps, long]): readonly Step[] => {
    let size = 1 + long;
    const whole: Step[] = [{ literal: new Uint8Array(size).map((_, index) => index * 7) }];
    for (const step of steps) {
      const possible = 'back' in step ? { ...step, back: 1 + (step.back % Math.min(size, 65_535)) } : step;
      size += 'back' in possible ? possible.length : possible.literal.length;
      whole.push(possible);
    }
    return whole;
  });

/** What the steps make. */
export const plainOf = (steps: readonly Step[]): Buffer => {
  const size = steps.reduce((sum, step) => sum + ('literal' in step ? step.literal.length : step.length), 0);
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (const step of steps)
    if ('literal' in step) {
      bytes.set(step.literal, at);
      at += step.literal.length;
    } else for (const end = at + step.length; at < end; at += 1) bytes[at] = bytes[at - step.back] as number;
  return bytes;
};

const little = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256);

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(value >>> 7)]);

const snappyStep = (step: Step): Uint8Array[] => {
  if ('back' in step) {
    const { back, length } = step;
    if (back < 2_048 && length < 12) return [Buffer.from([((back >>> 8) << 5) | ((length - 4) << 2) | 1, back & 255])];
    return length % 2 === 0
      ? [Buffer.from([((length - 1) << 2) | 2, ...little(back, 2)])]
      : [Buffer.from([((length - 1) << 2) | 3, ...little(back, 4)])];
  }
  const size = step.literal.length - 1;
  if (size < 60) return [Buffer.from([size << 2]), step.literal];
  const bytes = size < 256 ? 1 : size < 65_536 ? 2 : 3;
  return [Buffer.from([(59 + bytes) << 2, ...little(size, bytes)]), step.literal];
};

/** The steps as one block of snappy. */
export const snappyBlock = (steps: readonly Step[]): Buffer =>
  Buffer.concat([Buffer.from(varint(plainOf(steps).length)), ...steps.flatMap(snappyStep)]);

/** Blocks in the stream format of Java writers. */
export const snappyStream = (blocks: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0, 0, 0, 0, 1, 0, 0, 0, 1]),
    ...blocks.flatMap((block) => [Buffer.from(little(block.length, 4).toReversed()), block]),
  ]);

const lz4Length = (length: number): number[] =>
  length < 15 ? [] : [...Array.from({ length: Math.floor((length - 15) / 255) }, () => 255), (length - 15) % 255];

/** The steps as one block of lz4; it ends with a literal, as the format asks. */
const lz4Block = (steps: readonly Step[]): Buffer => {
  const parts: Uint8Array[] = [];
  let literals: Uint8Array[] = [];
  const emit = (copy: { back: number; length: number } | null): void => {
    const match = copy ? copy.length - 4 : 0;
    const size = literals.reduce((sum, { length }) => sum + length, 0);
    const token = (Math.min(15, size) << 4) | Math.min(15, match);
    parts.push(Buffer.from([token, ...lz4Length(size)]), ...literals);
    if (copy) parts.push(Buffer.from([...little(copy.back, 2), ...lz4Length(match)]));
    literals = [];
  };
  for (const step of steps)
    if ('literal' in step) literals.push(step.literal);
    else emit(step);
  emit(null);
  return Buffer.concat(parts);
};

/** A frame of lz4 whose blocks hold the steps, each block any number of them; `checksums` leaves room for every one of them. */
export const lz4Frame = (blocks: readonly (readonly Step[])[], checksums: boolean): Buffer => {
  const room = checksums ? [Buffer.alloc(4)] : [];
  return Buffer.concat([
    Buffer.from([4, 0x22, 0x4d, 0x18, 0x40 | (checksums ? 0x1c : 0), 0x70]),
    ...(checksums ? [Buffer.alloc(8)] : []),
    Buffer.alloc(1),
    ...blocks.flatMap((steps) => {
      const [first] = steps;
      // A lone literal is stored as it is.
      const stored = steps.length === 1 && first && 'literal' in first ? Buffer.from(first.literal) : undefined;
      const block = stored ?? lz4Block(steps);
      return [Buffer.from(little(block.length + (stored ? 2 ** 31 : 0), 4)), block, ...room];
    }),
    Buffer.alloc(4),
    ...room,
  ]);
};

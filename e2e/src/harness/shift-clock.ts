// Loaded before a service (`--import`): its wall clock is off by CLOCK_SHIFT_MS, its monotonic one is not.
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? '0');
const RealDate = globalThis.Date;

const now = (): number => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made) as object,
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});

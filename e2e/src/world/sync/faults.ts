import type { Random } from '@ranger-relay/runtime';
import { siteFaults } from '@ranger-relay/simulators';
import { channelFaults, type Fault, processFaults } from '../faults.ts';
import { pick } from '../simulation.ts';
import { switchOf } from '../strike.ts';
import type { SyncWorld } from './world.ts';

/** What the site does instead of answering. */
const siteFaultKinds = [
  'status 500',
  'status 502',
  'status 429',
  'hang',
  'hang after storing',
  'reset',
  'reset after storing',
  'half body',
  'late',
  'down',
] as const satisfies readonly Fault['kind'][];

/** A request that a gateway gives up on comes within the time that a run waits for it, ms. */
const maxLateMs = 9_000;
/** A process that stands still for a minute loses its lock. */
const maxFreezeMs = 40_000;

/** Draws one fault of a world of the sync. */
export const drawSyncFault = (random: Random, at: number, operators: readonly string[]): Fault => {
  const ms = Math.round(1_000 * 10 ** (random.next() ** 2 * 2));
  const amount = 1 + Math.floor(random.next() ** 2 * 12);
  const of = (kinds: readonly Fault['kind'][], target: string): Fault => {
    return { at, kind: pick(random, kinds), target, ms, amount };
  };
  const chance = random.next();
  if (chance < 0.5) return of([...processFaults, 'kill at call', 'crash'], pick(random, operators));
  if (chance < 0.65) return of(channelFaults, 'http site.world');
  if (chance < 0.7) return of(['slow'], 'disk');
  return of(siteFaultKinds, 'site');
};

const strikeOperator = ({ kind, target, ms, amount }: Fault, { simulation, operators, disk }: SyncWorld): void => {
  const operator = operators.find(({ name }) => name === target);
  const call = operator?.current();
  if (!operator) return;
  if (kind === 'kill at call') {
    // Most calls of a process are to the disk.
    if (call) call.process.killAtCall(amount * 10);
    else operator.killNextAt(amount * 25);
  } else if (kind === 'crash') {
    for (const each of operators) if (each.machine === operator.machine) each.current()?.process.kill();
    disk.crash(operator.machine);
  } else if (!call) return;
  else if (kind === 'kill') call.process.kill();
  else if (kind === 'freeze') call.process.freeze(Math.min(ms, maxFreezeMs));
  else if (kind === 'stop') call.interrupt();
  else if (kind === 'jump') {
    const jump = (amount % 2 === 0 ? 1 : -1) * ms * 10;
    call.process.jump(jump);
    simulation.clock.after(ms, () => call.process.jump(-jump));
  }
};

/** Makes a fault happen. */
export const strikeSync = (fault: Fault, world: SyncWorld): void => {
  const { kind, target, ms, amount } = fault;
  const { simulation, ways, site } = world;
  simulation.note(`fault ${JSON.stringify(fault)}`);
  simulation.tell(`fault: ${kind} ${target} for ${ms} ms, ${amount}`);
  const change = switchOf(fault);
  if (change) site.faults.set(change);
  else if (kind === 'late') {
    const method = amount % 2 === 0 ? 'POST' : 'PATCH';
    site.faults.set({ ...siteFaults.late(Math.min(ms, maxLateMs)), method, count: amount });
  } else if (kind === 'down') {
    void site.goDown();
    simulation.clock.after(ms, () => void site.comeUp());
  } else if (channelFaults.some((each) => each === kind))
    ways.disturb(kind as (typeof channelFaults)[number], target, ms, 0.05 + (amount % 10) / 10);
  else strikeOperator(fault, world);
  if (target === 'disk') world.slowDisk(simulation.clock.monotonic() + ms);
};

/** Ends every fault. */
export const healSync = async ({ ways, site, operators }: SyncWorld): Promise<void> => {
  for (const operator of operators) operator.killNextAt(0);
  ways.clear();
  site.faults.clear();
  await site.comeUp();
};

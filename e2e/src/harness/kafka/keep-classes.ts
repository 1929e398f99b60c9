import { existsSync, renameSync, rmSync } from 'node:fs';
import { startKafka } from './index.ts';
import { classes, keepingClasses } from './java.ts';

/** Starts a broker once and keeps the classes that it came to use; without them scenarios only take longer. */
export const keepClasses = async (): Promise<void> => {
  if (existsSync(classes)) return;
  const partial = `${classes}.${process.pid}`;
  try {
    const kafka = await startKafka({ java: [keepingClasses(partial)] });
    const stops = await Promise.all(kafka.brokers.map((broker) => broker.stop()));
    await kafka.remove();
    if (stops.every((stop) => stop === 'by itself')) renameSync(partial, classes);
  } catch (error) {
    process.stderr.write(`The broker's classes are not kept: ${String(error)}\n`);
  }
  rmSync(partial, { force: true });
};

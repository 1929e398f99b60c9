import {
  seeded,
  simulatorClock,
  startPlatform,
  type PlatformOptions,
  type PlatformSimulator,
} from '@ranger-relay/simulators';
import { systemClock } from '@ranger-relay/runtime';
import { createProgram, runProgram, type Shell } from '@ranger-relay/terminal';
import { recordingShell, testAbout, type RecordingShell } from '@ranger-relay/terminal/testing';
import type { ExecutionContext } from 'ava';
import type { Command } from 'commander';

/** A simulated platform on loopback that ends with the test. */
export const platformFor = async (
  t: ExecutionContext,
  options: Partial<PlatformOptions> = {},
): Promise<PlatformSimulator> => {
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    random: seeded(1),
    ...options,
  });
  t.teardown(() => platform.close());
  return platform;
};

/** Variables that point a command at it. */
export const variablesOf = ({ apiBaseUrl, sensorsBaseUrl, tokenUrl, client }: PlatformSimulator) => ({
  PLATFORM_API_BASE_URL: apiBaseUrl,
  PLATFORM_SENSORS_BASE_URL: sensorsBaseUrl,
  PLATFORM_TOKEN_URL: tokenUrl,
  PLATFORM_CLIENT_ID: client.id,
  PLATFORM_CLIENT_SECRET: client.secret,
  HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
});

/** Runs one command as a program; answers the shell with the exit code. */
export const runCommand = async (
  command: (shell: Shell) => Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ shell: RecordingShell; code: number }> => {
  const recording = recordingShell({ env });
  const shell = { ...recording, clock: { ...systemClock, now: recording.clock.now } } as unknown as RecordingShell;
  const code = await runProgram(shell, createProgram(shell, testAbout, [command(shell)]), [...args]);
  return { shell, code };
};

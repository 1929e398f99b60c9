import { cataloguesOf } from './actions/catalogues.ts';
import { activityCommand } from './activity/command.ts';
import { dlqCommand } from './dlq/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { about } from './program/about.ts';
import { storeOpeners } from './program/open-stores.ts';
import { createProgram, processShell, runProgram } from '@ranger-relay/terminal';
import { version } from './program/version.ts';
import { runCommand } from './run/command.ts';
import { registerCommand } from './register/command.ts';
import { schedulesCommand } from './schedules/command.ts';
import { simulateCommand } from './simulate/command.ts';
import { stateCommand } from './state/command.ts';
import { statusCommand } from './status/command.ts';
import { keeperOf, topicsCommand } from './topics/command.ts';
import { upCommand } from './up/command.ts';
import { whyCommand } from './why/command.ts';

const shell = processShell(process);
const { openBus, openKv, openStores, isRemote, activityTopic } = storeOpeners(shell);
const actions = { shell, openStores, catalogues: cataloguesOf };
const program = createProgram(shell, { ...about, version }, [
  upCommand(shell, process),
  simulateCommand({ shell }),
  statusCommand(shell, { isRemote, openStores }),
  activityCommand({ shell, openBus, topic: activityTopic }),
  dlqCommand({ shell, openStores }),
  topicsCommand(shell),
  registerCommand(shell),
  schedulesCommand({ shell, openKv }),
  runCommand(actions),
  whyCommand(actions),
  stateCommand(actions),
  doctorCommand({
    shell,
    isRemote,
    openBus,
    openKv,
    openKeeper: () => keeperOf(shell),
    catalogues: cataloguesOf,
  }),
]);
const code = await runProgram(shell, program, process.argv.slice(2));
if (code !== 0) process.exitCode = code;
// What is left open must not hold up the end; output that waits has this long to leave.
setTimeout(() => process.exit(), 3_000).unref();

import type { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { applyCommand } from './apply.ts';
import { bundleCommand } from './bundle.ts';
import { devSiteCommand } from './dev-site.ts';
import { doctorCommand } from './doctor.ts';
import { patrolDatamodelCommand } from './patrol-datamodel.ts';
import { resumeCommand } from './resume.ts';
import { undoCommand } from './undo.ts';
import { verifyCommand } from './verify.ts';

/** All commands of the tool. */
export const commands = (shell: Shell): Command[] => [
  patrolDatamodelCommand(shell),
  applyCommand(shell),
  undoCommand(shell),
  resumeCommand(shell),
  verifyCommand(shell),
  doctorCommand(shell),
  bundleCommand(shell),
  devSiteCommand(shell),
];

import { entries } from '../entry.ts';

/** Failures of the files in DATA_DIR. */
export const storeErrors = entries({
  data_dir_in_use: {
    next: 'alert',
    status: 500,
    text: 'DATA_DIR {path} is in use by the process {pid}; stop it first, or choose another DATA_DIR',
    check: 'Only one `ranger-relay up` may work on a directory.',
  },
  data_dir_unusable: {
    next: 'alert',
    status: 500,
    text: 'DATA_DIR {path} cannot be used: {problem}',
    check: 'The directory must exist or be creatable, writable, and on a local disk.',
  },
  store_missing: {
    next: 'alert',
    status: 500,
    text: 'The file {path} is missing though this DATA_DIR was used before (since {since}); {remedy}',
    check: 'Put the file back from a backup, or accept the loss with the named option.',
  },
  store_damaged: {
    next: 'alert',
    status: 500,
    text: 'The file {path} is damaged ({problem}); {remedy}',
    check: 'The file stays untouched. Restore a backup, or salvage what is readable with the named option.',
  },
  store_full: {
    next: 'retry',
    status: 503,
    text: 'The disk of {path} is full',
    check: 'Free space on the disk of DATA_DIR; a running service continues by itself.',
  },
  volume_full: {
    next: 'alert',
    status: 503,
    text: 'The volume of {path} is full: {free} MiB are free',
    check:
      'Free space on it, or enlarge it, and start again; keep the files of DATA_DIR. Until then nothing is received: call the parks by telephone.',
  },
  store_closed: {
    next: 'retry',
    status: 503,
    text: 'The file {path} is no longer open: {reason}',
    check: 'The log holds the cause; restart the process.',
  },
});

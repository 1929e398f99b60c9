import { entries } from '../entry.ts';

export const kvErrors = entries({
  kv_unavailable: {
    next: 'retry',
    status: 503,
    text: 'The key-value store does not answer: {reason}',
    check:
      'Nothing is lost; duplicates are possible while it is unavailable. Check the store process or the file in DATA_DIR.',
  },
});

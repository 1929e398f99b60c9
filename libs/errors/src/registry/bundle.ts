import { entries } from '../entry.ts';

/** Failures of a migration bundle, found before any call to the site. `{problems}` has one problem per line. */
export const bundleErrors = entries({
  bundle_invalid: {
    next: 'alert',
    status: 422,
    text: 'The bundle {path} cannot be used, {count}: {problems}',
    check:
      'The path of the bundle; each problem names file and line. Nothing was sent; export the bundle again rather than fix it by hand.',
  },
  language_unknown: {
    next: 'alert',
    status: 400,
    text: 'The bundle has {found} language "{wanted}"; choose one of {languages}{hint}',
    check:
      'The code given with --ext-language, else the default language of the manifest; case and - or _ do not count.',
  },
  timezone_mismatch: {
    next: 'alert',
    status: 409,
    text: 'The timezone of the bundle is {timezone}, not {wanted}; {remedy}',
    check: '--timezone, and whether the bundle was exported with the zone that its patrols were recorded in.',
  },
});

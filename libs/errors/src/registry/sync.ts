import { entries } from '../entry.ts';

/** Failures of the patrol sync itself. */
export const syncErrors = entries({
  config_file_invalid: {
    next: 'alert',
    status: 422,
    text: '{path} cannot be used: {reason}',
    check: 'The path, its rights, and the form of the file.',
  },
  output_not_writable: {
    next: 'alert',
    status: 500,
    text: '{path} cannot be written: {reason}',
    check:
      'What the message names, else the rights of that folder; --checklist names another file for the checklist, beside which the run records lie, --plan-out one for the plan.',
  },
  step_failed: {
    next: 'alert',
    status: 500,
    text: 'Failed: {steps}',
    check:
      'The lines above name each failure; what was written is in the run record. Fix the cause and run again, or undo.',
  },
  form_invalid: {
    next: 'alert',
    status: 422,
    text: 'The universal patrol fields would not be a form that the site accepts: {reason} at {path}',
    check: 'That part of the form on the site; nothing of the form was sent.',
  },
  form_outdated: {
    next: 'alert',
    status: 422,
    text: "The site's form is in the format of 2025, which the site no longer accepts; --modernize-form changes it: {changes}",
    check: 'Each change that the message names; run once with --modernize-form, or have an admin rebuild the form.',
  },
  roster_group_unknown: {
    next: 'alert',
    status: 404,
    text: 'The site has no subject group named "{group}" that the token may see',
    check: 'The spelling of --roster-group, and whether the token may view the group.',
  },
  roster_group_ambiguous: {
    next: 'alert',
    status: 409,
    text: '{count} subject groups of the site are named "{group}"',
    check: 'The spelling of --roster-group, exactly as the site shows it; or rename all but one of the groups.',
  },
  subject_not_visible: {
    next: 'alert',
    status: 403,
    text: 'The subject {id} was created, and the token cannot see it',
    check: 'Let the token view the default subject group; until then every run would create all subjects again.',
  },
  word_differs: {
    next: 'alert',
    status: 422,
    text: '{where} names the external system "{word}", so a run would make everybody twice; nothing was written',
    check:
      'The word: set the named one (ext.word, --ext-word), or the present one explicitly where both are meant to stand side by side.',
  },
  subjects_hidden: {
    next: 'alert',
    status: 403,
    text: 'The token cannot see all subjects that earlier runs created or found (missing: {count}); none was created again',
    check:
      'The groups that the token may view. Where the subjects were deleted, pass --recreate-missing, or use the token of a superuser.',
  },
  subject_subtype_unknown: {
    next: 'alert',
    status: 400,
    text: 'The site has no subject subtype "{subtype}"',
    check: 'Create that subtype in the admin pages of the site, then run again.',
  },
  default_group_missing: {
    next: 'alert',
    status: 500,
    text: 'The site has no default subject group, so that no subject can be created ({reason})',
    check: 'Set a default subject group in the admin pages of the site, then run again.',
  },
  entries_left: {
    next: 'alert',
    status: 409,
    text: 'The undo left entries as they are ({left})',
    check:
      'The line of each entry: the reason, and where it was changed since, the --force that undoes it all the same; --dry-run shows what that would do.',
  },
  site_differs: {
    next: 'alert',
    status: 409,
    text: 'The site differs from the bundle (differences: {differences})',
    check: 'The differences above; a run of patrol-datamodel writes them.',
  },
  plan_outdated: {
    next: 'alert',
    status: 409,
    text: 'The site is no longer as the plan saw it: {objects}',
    check:
      'Run again, or make a new plan and review it before it is applied. Nothing was written, unless a run record is named: undo reverts it.',
  },
  plan_invalid: {
    next: 'alert',
    status: 422,
    text: '{path} is not a valid plan: {reason}',
    check: 'The file that --plan-out wrote, unchanged, for the same site.',
  },
  record_invalid: {
    next: 'alert',
    status: 422,
    text: '{path} cannot be used: {reason}',
    check:
      'What the message names, else the path of the record, its journal beside it, and the site that it was written for.',
  },
  record_ambiguous: {
    next: 'alert',
    status: 409,
    text: '{folder} holds run records of several areas; name a record instead of the folder, the newest of each area: {candidates}',
    check: 'The area whose run is meant; the record names it in "conservation_area".',
  },
  record_missing: {
    next: 'alert',
    status: 404,
    text: '{folder} holds no run record of the site {site}',
    check: 'The folder, which is that of the checklist; a run that wrote nothing leaves no record.',
  },
  too_many_deactivations: {
    next: 'alert',
    status: 409,
    text: 'The run would deactivate more subjects than are allowed ({planned}; at most {limit})',
    check:
      'Nothing was written. Look at the people in the plan (--dry-run); if they are right, pass their number with --max-deactivations.',
  },
  locked: {
    next: 'alert',
    status: 409,
    text: 'Another run works on this site: {holder}, since {since}',
    check:
      'Wait until it has ended. The lock of a process of this machine that has ended is free at once; another one that a run left behind is removed with --force-unlock.',
  },
  interrupted: {
    next: 'alert',
    status: 503,
    text: 'Interrupted; {state}',
    check: 'Repeat the command. `sync-tool resume` finishes a run that has a record, `sync-tool undo` reverts it.',
  },
});

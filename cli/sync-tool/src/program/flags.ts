import { Option, type Command } from 'commander';
import { wholeOption } from '@ranger-relay/terminal';

/** Adds how the site is reached. */
export const siteFlags = (command: Command): Command =>
  command
    .option('--site-endpoint <host>', 'host of the site, with https:// or without; config key site.endpoint')
    .option('--site-token <token>', 'API token of the site; config key site.token')
    .option(
      '--site-token-file <file>',
      'file that holds the token, so that it is not in the list of processes (or SITE_TOKEN)',
    )
    .option('--ca-file <file>', 'PEM file of an authority to trust, for a site with a certificate of its own')
    .option(
      '--patience <seconds>',
      'how long an outage of the site is waited for, once it has answered',
      wholeOption(0, 86_400),
      120,
    )
    .option('--config <file>', 'configuration file (YAML): bundle.path, site.endpoint, site.token, ext.timezone');

/** Adds what a call does that finds a lock. */
export const waitFlag = (command: Command): Command =>
  command.option(
    '--wait-for-lock',
    'wait until the lock of a run that is gone is free, a minute at most; a run that goes on is not waited for',
  );

/** Adds what a run does about subjects that the site no longer shows. */
export const recreateFlag = (command: Command): Command =>
  command.option(
    '--recreate-missing',
    'create subjects again that records know and the site does not show; a token of a superuser needs no such leave',
  );

/** How results are printed. */
export type Output = 'text' | 'json';

/** Adds the form of the output. */
export const outputFlag = (command: Command): Command =>
  command.addOption(new Option('--output <form>', 'form of the result').choices(['text', 'json']).default('text'));

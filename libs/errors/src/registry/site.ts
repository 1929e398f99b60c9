import { entries } from '../entry.ts';

/** Failures of calls to the ranger-tracking site. `{target}` is method, host and path, never the query. */
export const siteErrors = entries({
  site_address_invalid: {
    next: 'alert',
    status: 400,
    text: 'The address of the site {problem}; write it as host, host:port or https://host',
    check: '--site-endpoint, or site.endpoint of the configuration file.',
  },
  site_token_invalid: {
    next: 'alert',
    status: 400,
    text: 'The token of the site {problem}; copy it again',
    check: '--site-token, or site.token of the configuration file.',
  },
  site_authority_invalid: {
    next: 'alert',
    status: 400,
    text: 'The authority given for the site holds no certificate that can be read; give a PEM file',
    check: '--ca-file names a file that begins with BEGIN CERTIFICATE.',
  },
  site_unauthorized: {
    next: 'alert',
    status: 401,
    text: '{target}: the site refuses the token; create a new one there and pass it with --site-token',
    check: 'Whether the token has expired, was revoked, or belongs to another site.',
  },
  site_forbidden: {
    next: 'alert',
    status: 403,
    text: '{target}: the token has no permission for this ({permission}); an admin of the site has to grant it',
    check: 'The permissions of the user that the token belongs to.',
  },
  site_refused: {
    next: 'dead',
    status: 400,
    text: '{target}: the site refuses this ({status}): {reason}; fix what it names and run again',
    check: 'The message of the site names the member and the problem.',
  },
  site_conflict: {
    next: 'retry',
    status: 409,
    text: '{target}: the record already exists; read the list again and continue with an update',
    check: 'Another client may be writing to the site at the same time.',
  },
  site_changed: {
    next: 'retry',
    status: 409,
    text: '{target}: another client has changed the record since it was read; run again',
    check: 'The present record at the site; nothing was overwritten.',
  },
  site_not_found: {
    next: 'dead',
    status: 404,
    text: '{target}: the site has no such resource; check the address, and whether the record was deleted',
    check: 'The address of the site, and the record in its admin pages.',
  },
  site_too_old: {
    next: 'alert',
    status: 405,
    text: '{target}: the site is too old for this; ask its operator for an update',
    check: 'The version of the site.',
  },
  site_redirected: {
    next: 'alert',
    status: 502,
    text: '{target}: the site redirects to {to}, and redirects are not followed; give the final address of the site',
    check: 'http or https, the name of the host, and proxies that ask for a login.',
  },
  site_untrusted: {
    next: 'alert',
    status: 502,
    text: '{target}: the certificate is not trusted ({reason}); give the authority that signed it with --ca-file',
    check: 'The certificate of the site: its name, its dates and who signed it.',
  },
  site_unavailable: {
    next: 'retry',
    status: 503,
    text: '{target}: no usable answer (tries: {tries}; {reason}); run again when the site works',
    check: 'The site, its proxies and the link; a repeated run continues where this one stopped.',
  },
  site_answer_unreadable: {
    next: 'alert',
    status: 502,
    text: '{target}: the response is not one of the site ({problem}); check the address and the version of the site',
    check: 'Whether a proxy or a login page answers in place of the site.',
  },
  site_credentials_invalid: {
    next: 'alert',
    status: 400,
    text: 'The credentials of the site cannot be used: {problem}; correct them in the auth settings of the integration',
    check: 'The auth settings of the integration: kind of authentication, token, user name and password.',
  },
  site_credentials_refused: {
    next: 'alert',
    status: 401,
    text: '{target}: the site refuses the credentials; renew them in the auth settings of the integration',
    check: 'Whether the token has expired or was revoked, the password was changed, or the user was switched off.',
  },
  site_address_foreign: {
    next: 'dead',
    status: 502,
    text: '{host} is not the site; only the site itself is called',
    check: 'Where the site keeps its files; the credentials are never sent to another host.',
  },
  site_file_too_large: {
    next: 'dead',
    status: 502,
    text: '{target}: the file is over {limit} bytes and is left out',
    check: 'The size of the file at the site.',
  },
});

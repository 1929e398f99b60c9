import type { Certificates } from './certificates.ts';

/** Lines of a server's configuration. It keeps nothing on disk. */
export const serverLines = (options: {
  readonly host: string;
  readonly port: number;
  readonly dir: string;
  readonly password: string | undefined;
  readonly certificates: Certificates | undefined;
}): readonly string[] => {
  const { host, port, dir, password, certificates } = options;
  return [
    `dir ${dir}`,
    ...(host === '127.0.0.1' ? [`bind ${host}`] : [`bind 127.0.0.1 ${host}`, 'protected-mode no']),
    'save ""',
    'appendonly no',
    'repl-diskless-sync-delay 0',
    ...(password === undefined ? [] : [`requirepass ${password}`, `masterauth ${password}`]),
    ...(certificates
      ? [
          'port 0',
          `tls-port ${port}`,
          `tls-cert-file ${certificates.certFile}`,
          `tls-key-file ${certificates.keyFile}`,
          `tls-ca-cert-file ${certificates.caFile}`,
          'tls-auth-clients no',
        ]
      : [`port ${port}`]),
  ];
};

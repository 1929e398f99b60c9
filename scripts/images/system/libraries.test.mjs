import test from 'ava';
import { cachedLibraries, librariesIn } from './libraries.mjs';

test('each library that is found is named as the program looks for it, the loader too', (t) => {
  const text = [
    '\tlinux-vdso.so.1 (0x00007f775108d000)',
    '\tlibdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f7751077000)',
    '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f7750b3e000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f775108f000)',
    '',
  ].join('\n');
  t.deepEqual(librariesIn(text), [
    '/lib/x86_64-linux-gnu/libdl.so.2',
    '/lib/x86_64-linux-gnu/libc.so.6',
    '/lib64/ld-linux-x86-64.so.2',
  ]);
});

test('a library that the machine lacks is refused by its name', (t) => {
  t.throws(() => librariesIn('\tlibatomic.so.1 => not found\n'), { message: /no libatomic\.so\.1.*install it/ });
});

test('of libraries that are loaded by name later, those that there are are taken, the first of each', (t) => {
  const text = [
    "3 libs found in cache `/etc/ld.so.cache'",
    '\tlibresolv.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libresolv.so.2',
    '\tlibresolv.so.2 (libc6) => /lib/i386-linux-gnu/libresolv.so.2',
    '\tlibnss_dns.so.20 (libc6,x86-64) => /lib/other',
  ].join('\n');
  t.deepEqual(cachedLibraries(text, ['libnss_dns.so.2', 'libresolv.so.2']), ['/lib/x86_64-linux-gnu/libresolv.so.2']);
});

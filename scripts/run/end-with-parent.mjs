// Preloaded into commands that have no shutdown of their own: they end when the process that started them is gone.
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Loaded before a gateway, which then ends one of its threads for sockets at each SIGUSR2, wherever that is. */
import { isMainThread, type Worker } from 'node:worker_threads'

const OF_SOCKETS = ['network', 'carriers']

if (isMainThread) {
  const running: { name: string; worker: Worker }[] = []
  let ends = 0

  process.on('worker', (worker) => {
    const name = worker.threadName ?? ''
    if (!OF_SOCKETS.includes(name)) return
    running.push({ name, worker })
    worker.once('exit', () => {
      running.splice(
        running.findIndex((one) => one.worker === worker),
        1,
      )
    })
  })
  process.on('SIGUSR2', () => {
    const wanted = OF_SOCKETS[ends++ % OF_SOCKETS.length]
    // They start at their first use.
    const found = running.find(({ name }) => name === wanted) ?? running[0]
    void found?.worker.terminate()
  })
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server that tests may make databases on. */
    postgresUrl: string
  }
}

/**
 * Gives the whole run one PostgreSQL: the one that WIGWAG_TEST_POSTGRES_URL names, or an embedded one. The latter
 * lives in a process of its own, which ends it when this one is gone, however it went.
 */
export default async function startPostgres(
  project: TestProject,
): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.WIGWAG_TEST_POSTGRES_URL
  if (given) {
    project.provide('postgresUrl', given)
    return undefined
  }
  const server = fork(new URL('./postgres.server.ts', import.meta.url), { detached: true, execArgv: [] })
  const ended = once(server, 'exit')
  const [said] = await Promise.race([once(server, 'message'), ended.then(() => [undefined])])
  if (!isStarted(said)) throw new Error(`no PostgreSQL for the tests: ${reasonOf(said)}\n${WHAT_TO_DO}`)
  project.provide('postgresUrl', said.url)
  return async function stopPostgres() {
    server.disconnect()
    await ended
  }
}

const WHAT_TO_DO =
  'Install what package.json names (npm ci, with optional dependencies and their install scripts), or set ' +
  'WIGWAG_TEST_POSTGRES_URL to a server where the tests may create databases, such as ' +
  'postgres://postgres:password@127.0.0.1:5432/postgres'

function isStarted(said: unknown): said is { url: string } {
  return typeof said === 'object' && said !== null && 'url' in said
}

function reasonOf(said: unknown): string {
  const spoke = typeof said === 'object' && said !== null && 'failed' in said
  return spoke ? String(said.failed) : 'the embedded one ended before it was up'
}

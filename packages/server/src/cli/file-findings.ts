import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { fileOf } from '../store/open.ts'
import { secretFileOf } from '../store/sandbox-secret.ts'
import { fail, ok, type Verdict, warn } from './finding.ts'

const GIB = 2 ** 30
const ROOM = { warn: GIB, fail: GIB / 10 }
const OTHERS = 0o077

export async function checkDisk(
  _: ReadOnlyDatabase,
  { database: url }: Config,
): Promise<Verdict | undefined> {
  const file = fileOf(url)
  if (file === undefined) return undefined
  const { bavail, bsize } = await statfs(dirname(file))
  const free = bavail * bsize
  const verdict = free < ROOM.fail ? fail : free < ROOM.warn ? warn : ok
  return verdict(`${(free / GIB).toFixed(1)} GiB free`)
}

/** Whether others on this machine may read what a database keeps. */
export async function checkFiles(
  _: ReadOnlyDatabase,
  { database: url }: Config,
): Promise<Verdict | undefined> {
  const file = fileOf(url)
  if (file === undefined) return undefined
  const files = [file, `${file}-wal`, `${file}-shm`, secretFileOf(file)]
  const open = files.filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0)
  return open.length === 0
    ? ok('for their owner alone')
    : warn(`others may read them: chmod 600 ${quoted(file)}*`)
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

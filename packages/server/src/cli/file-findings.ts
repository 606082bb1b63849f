import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { fileOf } from '../store/open.ts'
import { fail, ok, type Verdict, warn } from './finding.ts'

const GIB = 2 ** 30
const ROOM = { warn: GIB, fail: GIB / 10 }

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

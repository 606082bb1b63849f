import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/** The folder to make databases in. Tests pull no plug, so memory does where the machine offers it as a folder. */
export const FOR_DATABASES = isRoomy(MEMORY) ? MEMORY : tmpdir()

function isRoomy(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > ENOUGH_BYTES
}

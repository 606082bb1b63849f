import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, expect, it } from 'vitest'
import { hashPasswordHere, NOBODYS_PASSWORD } from '../../../src/sign-in/portal/passwords/password-hash.ts'
import { hashAside, verifyAside } from '../../../src/sign-in/portal/passwords/password-queue.ts'

const PASSWORD = 'correct horse battery'

/** How many threads of this process step back for others. */
function lowThreads(): number {
  return readdirSync('/proc/self/task').filter((thread) => {
    // Behind the name, which is in brackets, the priority is the seventeenth field.
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')
    return fields?.[16] === '10'
  }).length
}

describe('a password that is verified aside', () => {
  it('is the one that was hashed or is not', async () => {
    const stored = hashPasswordHere(PASSWORD, { n: 2 ** 10, r: 8, p: 1 })
    expect(await verifyAside(PASSWORD, stored)).toBe(true)
    expect(await verifyAside('wrong horse battery', stored)).toBe(false)
    expect(await verifyAside(PASSWORD, NOBODYS_PASSWORD)).toBe(false)
  })

  it('is hashed there as well, and then fits', async () => {
    const stored = await hashAside(PASSWORD)
    expect(stored).toMatch(/^scrypt\$131072\$8\$1\$/)
    expect(await verifyAside(PASSWORD, stored)).toBe(true)
  })

  it('fails loudly when what is stored is no hash, and harms none that come after', async () => {
    await expect(verifyAside(PASSWORD, 'plain text')).rejects.toThrow('scrypt$N$r$p$salt$hash')
    expect(await verifyAside(PASSWORD, NOBODYS_PASSWORD)).toBe(false)
  })

  // Elsewhere a thread has no priority of its own.
  if (process.platform === 'linux')
    it('leaves the processor to what else the process does, in as many threads as verify at once', async () => {
      const priority = getPriority()
      await Promise.all([verifyAside(PASSWORD, NOBODYS_PASSWORD), verifyAside(PASSWORD, NOBODYS_PASSWORD)])
      await verifyAside(PASSWORD, NOBODYS_PASSWORD)
      expect(lowThreads()).toBe(2)
      expect(getPriority()).toBe(priority)
    })
})

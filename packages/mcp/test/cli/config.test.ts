import { expect, it, vi } from 'vitest'
import { run } from '../../src/cli/run.ts'

it('config names the variable of a limit that is given as a flag', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    expect(await run(['config', '--client', 'cursor', '--daily-spend=5'], {})).toBe(2)
    expect(String(write.mock.calls[0]?.[0])).toContain('set WIGWAG_MCP_DAILY_SPEND in place of --daily-spend')
  } finally {
    write.mockRestore()
  }
})

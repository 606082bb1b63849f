import { connectSnippets } from '../../assistants/index.ts'
import { PAGE_HEADERS } from '../../platform/pages/reply.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { sampleAccount } from '../widgets/samples.ts'
import { postmanFile } from './collection.ts'
import { developersPage } from './page.ts'

const PATH = '/developers'
const COLLECTION = 'wigwag.postman_collection.json'
const SAMPLE_SENDER = 'WIGWAG'

/** What a developer copies: keys, code, commands and files, with the account's own values in them. */
export function mountDevelopers(pages: Pages, parts: ConsoleParts): void {
  const { account, publicUrl, sandbox } = parts

  async function valuesOf({ person, principal }: Visit) {
    const keys = await account.keys.list(principal)
    const approved = [...principal.senders].find(([, status]) => status === 'approved')
    return {
      account: await sampleAccount(person, parts),
      clientId: keys.find(({ kind }) => kind === 'client')?.ownerId ?? 'YOUR_CLIENT_ID',
      from: approved?.[0] ?? SAMPLE_SENDER,
    }
  }

  pages.show(PATH, 'build', async (visit) => ({
    title: 'Developers',
    place: 'developers',
    middle: true,
    body: developersPage({
      ...(await valuesOf(visit)),
      snippets: await connectSnippets(new URL('/mcp', publicUrl()).href),
      collectionHref: `${PATH}/${COLLECTION}`,
      isSandbox: sandbox !== undefined,
      maySend: visit.may('send'),
    }),
  }))

  pages.show(`${PATH}/${COLLECTION}`, 'build', async (visit) => {
    const headers = {
      ...PAGE_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${COLLECTION}"`,
    }
    return new Response(await postmanFile(await valuesOf(visit)), { headers })
  })
}

import type { ConsentView } from '../../../src/assistants/consent/page.tsx'

export const TICKET = { name: 'form_ticket', value: 'a-ticket' }

/** A consent as an assistant that is known by its site asks for it. */
export const CONSENT: ConsentView = {
  operator: { name: undefined, contact: undefined },
  action: '/oauth/interaction/one',
  form: TICKET,
  client: {
    name: 'Courier',
    id: 'https://courier.example/client.json',
    redirectHost: 'courier.example',
    loopback: false,
    documentHost: 'courier.example',
  },
  person: { email: 'ama@example.com', name: 'Ama Mensah' },
  wallet: { id: '0190f3a2-7c11-7b5e-8d33-2f6a9b1c4d5e', currency: 'GHS' },
  asksSending: true,
  shared: [],
  otherAccount: undefined,
  values: { sending: true, dailySpend: '5.00', dailyMessages: '50', recipients: '', unasked: 'send' },
  errors: {},
}

export function consentOf(client: Partial<ConsentView['client']>): ConsentView {
  return { ...CONSENT, client: { ...CONSENT.client, ...client } }
}

/** The people of accounts: who they are, and what each may do there. Start with `roles.ts`. */

export { actorTyped, withNames } from './actor-names.ts'
export {
  type Invitation,
  type InvitationRow,
  invitationOf,
  invitationsOf,
  makeInvitation,
  pruneInvitations,
  takeInvitation,
  withdrawInvitation,
  withdrawInvitationsBy,
} from './invitations.ts'
export {
  type Mailed,
  type Mailing,
  mailedPeople,
  mailingOf,
  noteMailAsked,
  noteMailProven,
  setAlertsByMail,
} from './mailing.ts'
export { mayDo, type Right, ROLE_WORDS, ROLES, roleIn, roleOf } from './roles.ts'
export {
  accountsOfPerson,
  canSignIn,
  deletePerson,
  endMembership,
  findPerson,
  forgetPeople,
  join,
  lockPerson,
  lockRole,
  lockRoles,
  type Member,
  type Membership,
  membersOf,
  type PersonRow,
  personOf,
  setAssistantLimits,
  setPasswordHash,
  setRole,
  setSecondFactor,
} from './rows.ts'

export const referenceNotice: string

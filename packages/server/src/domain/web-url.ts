export { isWebUrl, shownUrl } from '@wigwag/contract'

/** The forms that some texts must have, in words that follow "expected". */
export const SENDER_FORM =
  '1 to 11 letters, digits and spaces with at least one letter and no space at either end, or 3 to 15 digits'
export const KEY_FORM = '1 to 255 visible ASCII characters'
export const URL_FORM = 'an absolute http or https URL with a host, such as https://example.com/sms'

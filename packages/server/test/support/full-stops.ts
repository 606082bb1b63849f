/** Two full stops in a row, as they come from joining texts; neither an ellipsis nor the folder above. */
export const TWO_FULL_STOPS = /(?<![./])\.\.(?![./\w])/

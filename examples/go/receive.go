// Receives callbacks, and takes only those that the gateway signed. Go 1.19 or newer, nothing to install.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var secrets [][]byte
var handled sync.Map // in a program of yours, a table with a unique key

func isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Now().Unix() - seconds; err != nil || age > 300 || age < -300 {
		return false
	}
	matches := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		own := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		// Every pair is compared, so the time taken tells nothing.
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			matches = hmac.Equal(own, []byte(given)) || matches
		}
	}
	return matches
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20)) // the bytes as they came
	if err != nil || !isSigned(request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, isHandled := handled.Load(request.Header.Get("webhook-id")); !isHandled {
		var callback struct{ ClientReference, Ticket, Status string }
		if err := json.Unmarshal(body, &callback); err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println(callback.ClientReference, callback.Ticket, callback.Status)
		handled.Store(request.Header.Get("webhook-id"), true) // last: if the work fails, the callback comes again
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	// Two secrets, with a space between them, while you replace one.
	for _, secret := range strings.Fields(os.Getenv("WIGWAG_CALLBACK_SECRET")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			log.Fatal(err)
		}
		secrets = append(secrets, key)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("/callbacks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

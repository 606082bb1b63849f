// Sends a message, and reads its status until it is final. Go 1.19 or newer, nothing to install.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	mathrand "math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

var client = http.Client{Timeout: 30 * time.Second}

func mayRepeat(status int, code any) bool {
	return status == 408 || status == 429 || status >= 500 || code == "idempotency_in_progress"
}

// attempt makes one request. A status of 0 says that there was no whole answer: the message may have been taken.
func attempt(method, path, key string, body []byte) (status int, answer map[string]any, retryAfter int) {
	request, err := http.NewRequest(method, os.Getenv("WIGWAG_BASE_URL")+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.SetBasicAuth(os.Getenv("WIGWAG_CLIENT_ID"), os.Getenv("WIGWAG_CLIENT_SECRET"))
	request.Header.Set("X-Wallet", "Token "+os.Getenv("WIGWAG_WALLET_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if wrong := json.Unmarshal(text, &answer); response.StatusCode == 200 && (err != nil || wrong != nil) {
		return 0, nil, 0
	}
	retryAfter, _ = strconv.Atoi(response.Header.Get("Retry-After"))
	return response.StatusCode, answer, retryAfter
}

// call repeats the same request, with the same key, while that can help.
func call(method, path, key string, body []byte) map[string]any {
	for number := 1; ; number++ {
		status, answer, retryAfter := attempt(method, path, key, body)
		if status == 200 {
			return answer
		}
		if status != 0 && (number == 3 || !mayRepeat(status, answer["code"])) {
			log.Fatal(status, " ", answer)
		}
		if number == 3 {
			log.Fatal("uncertain: ask again with the key ", key)
		}
		jitter := mathrand.Float64() * 0.5 * float64(int(1)<<(number-1))
		time.Sleep(time.Duration((float64(retryAfter) + jitter) * float64(time.Second)))
	}
}

func main() {
	callbackURL := os.Getenv("CALLBACK_URL")
	if callbackURL == "" {
		callbackURL = "http://127.0.0.1:3000/callbacks"
	}
	message, _ := json.Marshal(map[string]string{
		"From":        "WIGWAG",
		"To":          os.Args[1],
		"Content":     "Your order 1042 is on its way.",
		"Reference":   "order-1042",
		"CallbackUrl": callbackURL,
	})
	// In a program of yours, store the key before the first request: then a crash does no harm either.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	sent := call("POST", "/v1/messages/sms", fmt.Sprintf("%x", key), message)
	status := sent
	for status["Status"] == "pending" || status["Status"] == "scheduled" {
		time.Sleep(time.Second)
		status = call("GET", fmt.Sprintf("/v1/transactions/%s/status", sent["Ticket"]), "", nil)
	}
	fmt.Println(sent["Ticket"], status["Status"], status["Cost"])
}
